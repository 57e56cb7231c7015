"""Search for blocks: the blocks at an address at a moment, and when and how each ended."""

from __future__ import annotations

import bisect

import numpy as np

from stackglass_viewer.model.memory_trace.event_reader import EventReader
from stackglass_viewer.model.memory_trace.events import EventColumns, EventKind
from stackglass_viewer.model.memory_trace.fill import read_slots
from stackglass_viewer.model.memory_trace.live_blocks import (
    BlockFacts,
    BlockFlag,
    LiveBlocks,
    Moment,
    Space,
)
from stackglass_viewer.model.memory_trace.live_states import LiveStates, read_live
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace_index import Packed, TraceIndex
from stackglass_viewer.native import _loops

_FREES = (EventKind.OBJECT_FREE, EventKind.FREE_BY_COLLECTOR)
_BIRTHS = (EventKind.OBJECT, EventKind.OBJECT_ALLOC, EventKind.REALLOC)


class BlockSearch:
    """Finds blocks of a trace. Any thread."""

    def __init__(
        self, reader: EventReader, states: LiveStates, index: TraceIndex, names: TraceNames
    ) -> None:
        self._reader = reader
        self._states = states
        self._index = index
        self._names = names

    def list_at(self, moment: Moment, low: int, high: int, limit: int) -> list[BlockFacts]:
        """Return the largest objects at a moment that overlap the addresses from ``low`` to
        ``high``, exclusive; at most ``limit``, the largest first."""
        with self._states.at(moment) as replay:
            found = read_live(replay, Space.OBJECT, low, high)
            spans = read_live(replay, Space.SPAN, low, high)
        largest = np.sort(np.argsort(found.size, kind="stable")[::-1][:limit])
        chosen = found.take(largest)
        facts = [self._describe(chosen, row, moment, spans) for row in range(len(chosen))]
        return sorted(facts, key=lambda each: -each.size)

    def _describe(
        self, blocks: LiveBlocks, row: int, moment: Moment, spans: LiveBlocks
    ) -> BlockFacts:
        address, birth_event = int(blocks.address[row]), int(blocks.birth_event[row])
        death_ns, death_kind = self._find_death(address, birth_event, moment, spans)
        return BlockFacts(
            address=address,
            size=int(blocks.size[row]),
            type_name=self._names.name_type(int(blocks.type[row])),
            domain=int(blocks.domain[row]),
            stack=int(blocks.stack[row]),
            tid=int(blocks.tid[row]),
            birth_ns=int(blocks.birth_ns[row]),
            birth_event=birth_event,
            death_ns=death_ns,
            death_kind=death_kind,
            flags=BlockFlag(int(blocks.flags[row])),
        )

    def _find_death(
        self, address: int, birth_event: int, moment: Moment, spans: LiveBlocks
    ) -> tuple[int | None, int | None]:
        """Return time and kind of the event that ended a block that is live at ``moment``; (None,
        None) = the block lived to the end.

        Checkpoints and the steps between them say in which step the block ended. Only the events
        of that step are read, however long the block lived.
        """
        offset = np.uint64(address) - spans.address
        step = read_slots(spans).astype(np.uint64)
        is_slot = (spans.address <= address) & (offset < spans.size) & (step > 0)
        is_slot &= offset % np.maximum(step, np.uint64(1)) == 0
        within = spans.address[is_slot].tolist()  # freeing such a Go span ends the block
        after = moment.event
        start = self._index.start.find(address)
        if start is not None and start[0] == birth_event:
            end = self._index.end.event if start[1] is None else start[1]
            if end >= after:  # otherwise the block's type changed at ``end``, and it lived on
                found = self._read_end(end, address, within)
                if found is not None or start[1] is None:
                    return found or (None, None)
                after = end
        block = (address, birth_event)
        begin, end = self._find_step(block, after, within)
        for _, events in self._reader.read(begin, end):
            row = _find_end(events, address, within)
            if row is not None:
                return int(events.time_ns[row]), int(events.kind[row])
        return None, None

    def _read_end(self, event: int, address: int, spans: list[int]) -> tuple[int, int] | None:
        """Return time and kind of an event if it ends the block at an address, else None."""
        for _, events in self._reader.read(event, event + 1):
            if _find_end(events, address, spans) is not None:
                return int(events.time_ns[0]), int(events.kind[0])
        return None

    def _find_step(self, block: tuple[int, int], event: int, spans: list[int]) -> tuple[int, int]:
        """Return the first event and the end of the step in which a block ended. ``block``: address
        and birth event; it is live at ``event``. If the block lived to the end of the trace, no
        event of the step ends it."""
        index, (address, birth_event) = self._index, block
        ends = [
            packed.moment.event
            for each in index.checkpoints
            for packed in (each.whole, *each.steps)
        ]
        later = bisect.bisect_right(ends, event)
        first_end = ends[later] if later < len(ends) else index.end.event
        if any(
            _find_end(events, address, spans) is not None
            for _, events in self._reader.read(event, first_end)
        ):
            return event, first_end
        checkpoints = index.checkpoints
        whole = [each.whole.moment.event for each in checkpoints]
        after = bisect.bisect_right(whole, event)
        dead = bisect.bisect_left(
            range(after, len(checkpoints)),
            True,
            key=lambda number: self._is_dead(checkpoints[number].whole, address, birth_event),
        )
        checkpoint = checkpoints[dead + after - 1]
        begin = max(checkpoint.whole.moment.event, event)
        for step in checkpoint.steps:
            if step.moment.event <= event:
                continue
            content = index.side_file.read(step.content, np.uint8)
            if begin > event and _loops.find_removed(content, int(Space.OBJECT), address):
                return begin, step.moment.event
            begin = step.moment.event
        following = dead + after
        end = whole[following] if following < len(whole) else index.end.event
        return begin, end

    def _is_dead(self, whole: Packed, address: int, birth_event: int) -> bool:
        """Whether a checkpoint does not have a block."""
        read = self._index.side_file.read
        found = _loops.find_in_checkpoint(
            read(whole.content, np.uint8),
            read(whole.groups, np.uint64),
            int(Space.OBJECT),
            address,
        )
        return found != birth_event


def _find_end(events: EventColumns, address: int, spans: list[int]) -> int | None:
    """Return the row of the first event that ends the block at an address; None = there is none."""
    is_end = (events.address == address) & np.isin(events.kind, (*_FREES, *_BIRTHS))
    is_end |= (events.other == address) & (events.kind == EventKind.REALLOC)
    for span in spans:  # the objects of a Go span end with it
        is_end |= (events.address == span) & (events.kind == EventKind.SPAN_FREE)
    rows = np.flatnonzero(is_end)
    return int(rows[0]) if len(rows) else None
