"""Search for blocks: what was at an address at a moment, and what became of it."""

from __future__ import annotations

import bisect

import numpy as np

from stackglass_viewer.model.memory_trace.events import EventColumns, Kind
from stackglass_viewer.model.memory_trace.live_blocks import (
    BlockFacts,
    BlockFlag,
    LiveBlocks,
    Moment,
    Space,
)
from stackglass_viewer.model.memory_trace.live_states import LiveStates, read_live
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.timeline import Timeline
from stackglass_viewer.model.memory_trace.trace_index import TraceIndex
from stackglass_viewer.native import _loops

_FREES = (Kind.OBJECT_FREE, Kind.FREE_BY_COLLECTOR)
_BIRTHS = (Kind.OBJECT, Kind.OBJECT_ALLOC, Kind.REALLOC)


class BlockSearch:
    """Any thread."""

    def __init__(
        self, timeline: Timeline, states: LiveStates, index: TraceIndex, names: TraceNames
    ) -> None:
        self._timeline = timeline
        self._states = states
        self._index = index
        self._names = names

    def list_at(self, moment: Moment, low: int, high: int, limit: int) -> list[BlockFacts]:
        """The largest objects at a moment that reach into addresses; ``high`` is exclusive."""
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
        """Time and kind of the event that ended a block which lived at a moment. Checkpoints say
        between which two of them it was: so many events are read, however long it lived."""
        checkpoints = self._index.checkpoints
        later = bisect.bisect_right([each.moment.event for each in checkpoints], moment.event)

        def is_dead(number: int) -> bool:
            checkpoint, read = checkpoints[number], self._index.side_file.read
            found = _loops.find_in_checkpoint(
                read(checkpoint.content, np.uint8),
                read(checkpoint.groups, np.uint64),
                int(Space.OBJECT),
                address,
            )
            return found != birth_event

        after = bisect.bisect_left(range(later, len(checkpoints)), True, key=is_dead) + later
        begin = checkpoints[after - 1].moment.event if after > later else moment.event
        end = checkpoints[after].moment.event if after < len(checkpoints) else self._index.end.event
        span = [
            int(start)
            for start, size in zip(spans.address.tolist(), spans.size.tolist(), strict=True)
            if start <= address < start + size
        ]
        for _, events in self._timeline.read(begin, end):
            row = _find_end(events, address, span)
            if row is not None:
                return int(events.time_ns[row]), int(events.kind[row])
        return None, None


def _find_end(events: EventColumns, address: int, spans: list[int]) -> int | None:
    """The first event that ends the block at an address."""
    is_end = (events.address == address) & np.isin(events.kind, (*_FREES, *_BIRTHS))
    is_end |= (events.other == address) & (events.kind == Kind.REALLOC)
    for span in spans:  # of Go: its objects end with it
        is_end |= (events.address == span) & (events.kind == Kind.SPAN_FREE)
    rows = np.flatnonzero(is_end)
    return int(rows[0]) if len(rows) else None
