"""Replay of a memory trace in plain Python, event by event: the reference for the replay in C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from stackglass_viewer.model.memory_trace.events import Domain, EventKind

_SPACES = {
    **dict.fromkeys((EventKind.OBJECT, EventKind.OBJECT_ALLOC, EventKind.OBJECT_FREE), 0),
    **dict.fromkeys((EventKind.FREE_BY_COLLECTOR, EventKind.REALLOC), 0),
    **dict.fromkeys((EventKind.SPAN, EventKind.SPAN_ALLOC, EventKind.SPAN_FREE), 1),
    **dict.fromkeys((EventKind.STACK, EventKind.STACK_ALLOC, EventKind.STACK_FREE), 2),
}
_FREES = (
    EventKind.OBJECT_FREE,
    EventKind.FREE_BY_COLLECTOR,
    EventKind.SPAN_FREE,
    EventKind.STACK_FREE,
)
_BORN_BEFORE, _RECYCLED, _UNCERTAIN = 1, 2, 4


@dataclass
class Block:
    size: int
    stack: int
    type: int
    birth_ns: int
    birth_event: int
    tid: int
    domain: int
    flags: int


@dataclass
class NaiveReplay:
    """State of the heap after some events."""

    live: dict[tuple[int, int], Block] = field(default_factory=dict)  # by space and address
    object_bytes: int = 0  # of the live blocks of space 0
    n_events: int = 0
    last_loss: dict[int, int] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)  # objects that were dropped with their span
    n_unknown_frees: int = 0
    n_overwritten: int = 0
    allocated: Counter[tuple[int, int]] = field(
        default_factory=Counter
    )  # bytes by stack and 0; without a stack by 0 and type
    lifetimes: list[int] = field(default_factory=list)
    peak: int = 0
    peak_event: int = 0

    def apply(self, rows: Iterable[dict[str, int]]) -> None:
        for row in rows:
            self._apply(row)
            self.n_events += 1
            if self.object_bytes > self.peak:
                self.peak, self.peak_event = self.object_bytes, self.n_events

    def flags(self, block: Block) -> int:
        is_uncertain = self.last_loss.get(block.domain, -1) >= block.birth_event
        return block.flags | (_UNCERTAIN if is_uncertain else 0)

    def _apply(self, row: dict[str, int]) -> None:
        kind, address = row["kind"], row["address"]
        if kind == EventKind.LOST:
            for domain in (0, 1) if row["domain"] < 2 else (row["domain"],):
                self.last_loss[domain] = self.n_events
        elif kind in (EventKind.TYPE, EventKind.RECYCLED):
            self._set_type(row)
        elif kind == EventKind.REALLOC:
            self._move(row)
        elif kind in _FREES:
            if (_SPACES[EventKind(kind)], address) in self.live:
                if kind == EventKind.SPAN_FREE:
                    self._drop_objects(self.live[1, address], address, row["time_ns"])
                self._end(_SPACES[EventKind(kind)], address, row["time_ns"])
            elif _SPACES[EventKind(kind)] == 0 and address in self.dropped:
                self.dropped.remove(address)
            else:
                self.n_unknown_frees += 1
        elif kind in _SPACES:
            is_before = kind in (EventKind.OBJECT, EventKind.SPAN, EventKind.STACK)
            self._begin(row, row["type"], _BORN_BEFORE if is_before else 0)

    def _drop_objects(self, span: Block, address: int, time_ns: int) -> None:
        """Drop the objects of a Go span; the span's field ``stack`` is the size of its slots."""
        if span.stack and span.domain == Domain.GO_SPAN:
            for at in range(address, address + span.size, span.stack):
                if (0, at) in self.live:
                    self._end(0, at, time_ns)
                    self.dropped.add(at)

    def _set_type(self, row: dict[str, int]) -> None:
        block = self.live.get((0, row["address"]))
        if block is None:
            return
        if row["kind"] == EventKind.RECYCLED:
            block.flags |= _RECYCLED
            block.type = row["type"]
        elif row["type"]:
            block.type = row["type"]

    def _move(self, row: dict[str, int]) -> None:
        before = self.live.get((0, row["other"]))
        new_type = row["type"]
        if before is not None:
            if not new_type and not before.flags & _RECYCLED:
                new_type = before.type
            self._end(0, row["other"], row["time_ns"])
        elif row["other"]:
            self.n_unknown_frees += 1
        self._begin(row, new_type, 0)

    def _begin(self, row: dict[str, int], type_id: int, flags: int) -> None:
        space, address = _SPACES[EventKind(row["kind"])], row["address"]
        if (space, address) in self.live:
            self.n_overwritten += 1
            self._end(space, address, row["time_ns"])
        if space == 0:
            self.dropped.discard(address)
        self.live[space, address] = Block(
            size=row["size"],
            stack=row["stack"],
            type=type_id,
            birth_ns=row["time_ns"],
            birth_event=self.n_events,
            tid=row["tid"],
            domain=row["domain"],
            flags=flags,
        )
        if space == 0:
            self.object_bytes += row["size"]
        if space == 0 and not flags:
            self.allocated[row["stack"], 0 if row["stack"] else type_id] += row["size"]

    def _end(self, space: int, address: int, time_ns: int) -> None:
        block = self.live.pop((space, address))
        if space == 0:
            self.object_bytes -= block.size
        if space == 0 and not block.flags & _BORN_BEFORE:
            self.lifetimes.append(time_ns - block.birth_ns)
