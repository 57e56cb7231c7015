"""Order of events: merges the blocks of a trace, which may overlap in time, into one order by time.

Events are ordered by time, then by the number of their block, then by their place in the block::

    block 0  ├──────────────┤
    block 1        ├────────────────┤        sweep: pieces, which end between two times
    block 2                      ├──────┤

All events of a start snapshot have one time. Its blocks come first, each as a piece of its own, so
that the snapshot is never in memory as a whole. If it has too many objects, its objects and spans
are left out: then only memory that was allocated in the trace is counted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.events import EventColumns, EventKind, join_events
from stackglass_viewer.model.memory_trace.source import EventBlocks, EventSource
from stackglass_viewer.model.units import format_count

MOST_PIECE_EVENTS = 1 << 16
LEAST_PIECE_EVENTS = 1 << 8
_PIECES = 1 << 11
"""Number of pieces of a long trace, and so of steps in charts over time."""
MOST_OVERLAPPING_EVENTS = 1 << 24
"""Most events to put in order at once, which takes two gigabytes. Events of Go's snapshots are
among them."""
MOST_START_EVENTS = 24 << 20
"""Most events of a start snapshot. Each takes 24 bytes; with everything else, less than a
gigabyte."""
_MOST_NUMBERS = (1 << 32) - 1
"""Most events of a trace with start blocks, which refer to events by 32-bit numbers
(memory_start.h)."""
_AT_START = (EventKind.OBJECT, EventKind.SPAN, EventKind.STACK)
_CACHED_BLOCKS = 16


class LeftOut(NamedTuple):
    """Objects of a start snapshot that are not among the events."""

    n: int
    size: int  # bytes


class EventOrder:
    """Reads the events of a source in order. Not thread-safe."""

    def __init__(self, source: EventSource) -> None:
        """Raises ContentError if more than ``MOST_OVERLAPPING_EVENTS`` overlap."""
        self._source = source
        self._first_ns, self._last_ns = source.blocks.first_ns, source.blocks.last_ns
        self._cache: OrderedDict[int, EventColumns] = OrderedDict()
        wanted = source.blocks.total_events // _PIECES
        self._piece = min(max(wanted, LEAST_PIECE_EVENTS), MOST_PIECE_EVENTS)
        self._order = np.argsort(self._first_ns, kind="stable")
        self._n_start = 0
        self._is_start = np.zeros(len(source.blocks), dtype=np.bool_)  # by block
        self._is_left_out = _find_left_out(source)
        is_kept = not self._is_left_out.any()
        self._most_start = _count_start(source, self._order) if is_kept else 0  # blocks
        self.left_out = LeftOut(0, 0)  # complete after a sweep
        self._n_kept = 0  # events kept from blocks with objects that are left out
        self._is_empty = np.zeros(len(source.blocks), dtype=np.bool_)  # blocks with no event kept

    @property
    def n_start(self) -> int:
        """The number of pieces of the start snapshot, which come first. Known after
        ``read_start``."""
        return self._n_start

    def read_start(self) -> Iterator[EventColumns]:
        """Yield the start snapshot in the pieces with which a sweep begins. Raises ContentError."""
        for piece in range(self._most_start):
            events = self.read_start_piece(piece)
            if not np.isin(events.kind, _AT_START).all():
                break
            yield events
            self._n_start = piece + 1
            self._is_start[self._order[piece]] = True
        is_later = ~(self._is_start | self._is_left_out)
        if _measure_overlap(self._source.blocks, is_later) > MOST_OVERLAPPING_EVENTS:
            raise _refuse()

    def read_start_piece(self, piece: int) -> EventColumns:
        """Return one piece of the start snapshot. Raises ContentError."""
        return self._decode(int(self._order[piece]))

    def sweep(self) -> Iterator[EventColumns]:
        """Yield all events, in pieces. Events of one time are in one piece, except those of the
        start snapshot. Call ``read_start`` before. Raises ContentError."""
        for piece in range(self._n_start):
            yield self.read_start_piece(piece)
        order = self._order[self._n_start :]
        pending: dict[int, EventColumns] = {}
        self.left_out, self._n_kept = LeftOut(0, 0), 0
        for position, block in enumerate(order.tolist()):
            events = self._decode(block, is_counted=True)
            if len(events):
                pending[block] = events
            else:
                self._is_empty[block] = True
            is_last = position + 1 == len(order)
            horizon = None if is_last else int(self._first_ns[order[position + 1]])
            ready = _count_ready(pending, horizon)
            if is_last or sum(ready.values()) >= self._piece:
                yield from _cut(_take_ready(pending, ready), self._piece)

    def read(self, after_ns: int, until_ns: int) -> EventColumns:
        """Return the events later than one moment and no later than another, without the start
        snapshot. Raises ContentError."""
        is_wanted = (self._first_ns <= until_ns) & (self._last_ns > after_ns)
        is_wanted &= ~(self._is_empty | self._is_start)
        parts = []
        for block in np.flatnonzero(is_wanted).tolist():
            events = self._decode_cached(block)
            begin, end = np.searchsorted(events.time_ns, [after_ns, until_ns], side="right")
            if end > begin:
                parts.append(events.take(slice(int(begin), int(end))))
        return _sort(join_events(parts))

    def _decode_cached(self, block: int) -> EventColumns:
        events = self._cache.get(block)
        if events is None:
            events = self._decode(block)
            self._cache[block] = events
            if len(self._cache) > _CACHED_BLOCKS:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(block)
        return events

    def _decode(self, block: int, is_counted: bool = False) -> EventColumns:
        events = _sort(self._source.decode(block))
        if len(events) != self._source.blocks.n_events[block]:
            raise ContentError(f"block {block} has more or fewer events than its index says")
        if len(events) and not (
            self._first_ns[block] <= events.time_ns[0] <= events.time_ns[-1] <= self._last_ns[block]
        ):
            raise ContentError(f"block {block} has events of other times than its index says")
        return self._leave_out(events, is_counted) if self._is_left_out[block] else events

    def _leave_out(self, events: EventColumns, is_counted: bool) -> EventColumns:
        """Return the events without objects and spans. ``is_counted``: count them in
        ``left_out``."""
        is_object = events.kind == EventKind.OBJECT
        kept = events.take(~is_object & (events.kind != EventKind.SPAN))
        if is_counted:
            n, size = int(np.count_nonzero(is_object)), int(events.size[is_object].sum())
            self.left_out = LeftOut(self.left_out.n + n, self.left_out.size + size)
            self._n_kept += len(kept)
            if self._n_kept > MOST_OVERLAPPING_EVENTS:
                raise _refuse()
        return kept


def _is_at_start(blocks: EventBlocks) -> npt.NDArray[np.bool_]:
    """Return the mask of the blocks with events of the trace's first time only."""
    if not len(blocks):
        return np.zeros(0, dtype=np.bool_)
    is_start: npt.NDArray[np.bool_] = (blocks.first_ns == blocks.last_ns) & (
        blocks.first_ns == blocks.first_ns.min()
    )
    return is_start


def _count_start(source: EventSource, order: npt.NDArray[np.intp]) -> int:
    """Return how many of the first blocks may belong to the start snapshot.

    0 for Go: its objects end with its spans, so its snapshot is treated as ordinary blocks.
    """
    blocks = source.blocks
    if not source.info.has_stacks or blocks.total_events >= _MOST_NUMBERS:
        return 0
    is_later = ~_is_at_start(blocks)[order]
    return int(np.argmax(is_later)) if is_later.any() else len(order)


def _find_left_out(source: EventSource) -> npt.NDArray[np.bool_]:
    """Return the mask of the start snapshot's blocks if it is too large to be kept, else of none.

    A snapshot of Go cannot be left out: its objects end with the spans of the snapshot, so all
    later sums would be wrong. Raises ContentError if it is too large.
    """
    blocks = source.blocks
    nothing = np.zeros(len(blocks), dtype=np.bool_)
    if _measure_overlap(blocks, ~nothing) <= MOST_OVERLAPPING_EVENTS:
        return nothing
    is_start = _is_at_start(blocks)
    if not source.info.has_stacks or _measure_overlap(blocks, ~is_start) > MOST_OVERLAPPING_EVENTS:
        raise _refuse()
    return nothing if int(blocks.n_events[is_start].sum()) <= MOST_START_EVENTS else is_start


def _measure_overlap(blocks: EventBlocks, is_chosen: npt.NDArray[np.bool_]) -> int:
    """Return the largest number of events in blocks that overlap at one moment."""
    first_ns, last_ns, n_events = (
        column[is_chosen] for column in (blocks.first_ns, blocks.last_ns, blocks.n_events)
    )
    times = np.concatenate((first_ns, last_ns))
    changes = np.concatenate((n_events, -n_events))
    order = np.lexsort((changes < 0, times))
    return int(np.cumsum(changes[order]).max()) if len(order) else 0


def _refuse() -> ContentError:
    return ContentError(
        f"more than {format_count(MOST_OVERLAPPING_EVENTS)} of its events overlap in time, which "
        "is more than can be put in order; or the file is damaged"
    )


def _sort(events: EventColumns) -> EventColumns:
    time_ns = events.time_ns
    if len(time_ns) < 2 or bool((time_ns[1:] >= time_ns[:-1]).all()):
        return events
    return events.take(np.argsort(time_ns, kind="stable"))


def _count_ready(pending: dict[int, EventColumns], horizon: int | None) -> dict[int, int]:
    """Return how many events of each pending block are earlier than ``horizon``, the first time of
    the blocks that are not decoded yet; None = no such block."""
    if horizon is None:
        return {block: len(events) for block, events in pending.items()}
    return {
        block: int(np.searchsorted(events.time_ns, horizon, side="left"))
        for block, events in pending.items()
    }


def _take_ready(pending: dict[int, EventColumns], ready: dict[int, int]) -> EventColumns:
    """Remove the ready events from the pending blocks, and return them in order."""
    parts = [pending[block].take(slice(0, ready[block])) for block in sorted(pending)]
    for block, n in ready.items():
        rest = pending[block].take(slice(n, None))
        if len(rest):
            pending[block] = rest
        else:
            del pending[block]
    return _sort(join_events(parts))


def _cut(events: EventColumns, least: int) -> Iterator[EventColumns]:
    """Yield pieces of at least ``least`` events, except the last one. Events of one time stay in
    one piece."""
    begin, n = 0, len(events)
    while begin < n:
        end = min(begin + least, n)
        if end < n:
            last: npt.NDArray[np.int64] = events.time_ns[end - 1 : end]
            end = int(np.searchsorted(events.time_ns, last[0], side="right"))
        yield events.take(slice(begin, end))
        begin = end
