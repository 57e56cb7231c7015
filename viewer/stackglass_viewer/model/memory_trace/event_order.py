"""Order of events: blocks may overlap in time, and events are replayed by time.

Events of one address are in order across threads by time, then by block, then within the block::

    block 0  ├──────────────┤
    block 1        ├────────────────┤        sweep: pieces, which end between two times
    block 2                      ├──────┤
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.memory_trace.events import EventColumns, join_events
from stackglass_viewer.model.memory_trace.source import EventSource

MOST_PIECE_EVENTS = 1 << 16
LEAST_PIECE_EVENTS = 1 << 8
_PIECES = 1 << 11
"""As many as there are, if a trace is long enough: what is drawn over time has so many steps."""
MOST_OVERLAPPING_EVENTS = 1 << 24
"""Two gigabytes while they are put in order. A start snapshot counts: all of it has one time."""
_CACHED_BLOCKS = 16


class EventOrder:
    """Reads a source in order. One thread at a time."""

    def __init__(self, source: EventSource) -> None:
        """Raises ProfileError where blocks overlap by more than memory may hold."""
        self._source = source
        self._first_ns, self._last_ns = source.blocks.first_ns, source.blocks.last_ns
        self._cache: OrderedDict[int, EventColumns] = OrderedDict()
        wanted = source.blocks.total_events // _PIECES
        self._piece = min(max(wanted, LEAST_PIECE_EVENTS), MOST_PIECE_EVENTS)
        _check_overlap(source)

    def sweep(self) -> Iterator[EventColumns]:
        """All events, in pieces. No two pieces have events of one time. Raises ProfileError."""
        order = np.argsort(self._first_ns, kind="stable")
        pending: dict[int, EventColumns] = {}
        for position, block in enumerate(order.tolist()):
            events = self._decode(block)
            if len(events):
                pending[block] = events
            is_last = position + 1 == len(order)
            horizon = None if is_last else int(self._first_ns[order[position + 1]])
            ready = _count_ready(pending, horizon)
            if is_last or sum(ready.values()) >= self._piece:
                yield from _cut(_take_ready(pending, ready), self._piece)

    def read(self, after_ns: int, until_ns: int) -> EventColumns:
        """Events later than one moment and no later than another. Raises ProfileError."""
        wanted = np.flatnonzero((self._first_ns <= until_ns) & (self._last_ns > after_ns))
        parts = []
        for block in wanted.tolist():
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

    def _decode(self, block: int) -> EventColumns:
        events = _sort(self._source.decode(block))
        if len(events) != self._source.blocks.n_events[block]:
            raise ProfileError(f"block {block} has not as many events as its index says")
        if len(events) and not (
            self._first_ns[block] <= events.time_ns[0] <= events.time_ns[-1] <= self._last_ns[block]
        ):
            raise ProfileError(f"block {block} has events of other times than its index says")
        return events


def _check_overlap(source: EventSource) -> None:
    """The events of the blocks that are open at one moment have to fit into memory."""
    blocks = source.blocks
    times = np.concatenate((blocks.first_ns, blocks.last_ns))
    changes = np.concatenate((blocks.n_events, -blocks.n_events))
    order = np.lexsort((changes < 0, times))
    if len(order) and int(np.cumsum(changes[order]).max()) > MOST_OVERLAPPING_EVENTS:
        raise ProfileError(
            f"more than {MOST_OVERLAPPING_EVENTS:,} of its events overlap in time: it is damaged, "
            "or it began with more blocks than can be put in order"
        )


def _sort(events: EventColumns) -> EventColumns:
    time_ns = events.time_ns
    if len(time_ns) < 2 or bool((time_ns[1:] >= time_ns[:-1]).all()):
        return events
    return events.take(np.argsort(time_ns, kind="stable"))


def _count_ready(pending: dict[int, EventColumns], horizon: int | None) -> dict[int, int]:
    """How many events of each block come before all that is not decoded yet."""
    if horizon is None:
        return {block: len(events) for block, events in pending.items()}
    return {
        block: int(np.searchsorted(events.time_ns, horizon, side="left"))
        for block, events in pending.items()
    }


def _take_ready(pending: dict[int, EventColumns], ready: dict[int, int]) -> EventColumns:
    parts = [pending[block].take(slice(0, ready[block])) for block in sorted(pending)]
    for block, n in ready.items():
        rest = pending[block].take(slice(n, None))
        if len(rest):
            pending[block] = rest
        else:
            del pending[block]
    return _sort(join_events(parts))


def _cut(events: EventColumns, least: int) -> Iterator[EventColumns]:
    """Pieces of at least so many events, except the last; each ends where time goes on."""
    begin, n = 0, len(events)
    while begin < n:
        end = min(begin + least, n)
        if end < n:
            last: npt.NDArray[np.int64] = events.time_ns[end - 1 : end]
            end = int(np.searchsorted(events.time_ns, last[0], side="right"))
        yield events.take(slice(begin, end))
        begin = end
