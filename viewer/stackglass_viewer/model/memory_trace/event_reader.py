"""Event reader: reads the events of an indexed trace by number, and finds moments by time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, UInt32s, UInt64s, freeze
from stackglass_viewer.model.memory_trace.event_order import EventOrder
from stackglass_viewer.model.memory_trace.events import EventColumns, EventKind
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.trace_index import ProofStep, TraceIndex

_CACHED_PIECES = 8
_BIRTHS = (EventKind.OBJECT, EventKind.OBJECT_ALLOC, EventKind.REALLOC)


class EventReader:
    """Reads events by number. Any thread; a lock lets only one thread at a time read."""

    def __init__(self, order: EventOrder, index: TraceIndex) -> None:
        self._order = order
        self._index = index
        self._lock = threading.Lock()  # guards the order and the cache
        self._cache: OrderedDict[int, EventColumns] = OrderedDict()

    @property
    def n_pieces(self) -> int:
        return len(self._index.pieces.end_ns)

    def read_piece(self, piece: int) -> EventColumns:
        """Return the events of a piece. Births already have the types that were proven later."""
        with self._lock:
            events = self._cache.get(piece)
            if events is None:
                events = self._decode(piece)
                self._cache[piece] = events
                if len(self._cache) > _CACHED_PIECES:
                    self._cache.popitem(last=False)
            else:
                self._cache.move_to_end(piece)
            return events

    def read(self, begin: int, end: int) -> Iterator[tuple[int, EventColumns]]:
        """Yield the events from ``begin`` to ``end``, exclusive, in pieces: the number of the first
        event, and the events."""
        first_event = self._index.pieces.first_event
        piece = max(int(np.searchsorted(first_event, begin, side="right")) - 1, 0)
        while piece < self.n_pieces and first_event[piece] < end:
            first = int(first_event[piece])
            low, high = max(begin - first, 0), min(end, int(first_event[piece + 1])) - first
            if high > low:
                events = self.read_piece(piece)
                is_whole = low == 0 and high == len(events)
                yield first + low, events if is_whole else events.take(slice(low, high))
            piece += 1

    def find_moment(self, time_ns: int) -> Moment:
        """Return the moment after all events up to a time, inclusive."""
        pieces = self._index.pieces
        piece = int(np.searchsorted(pieces.end_ns, time_ns, side="right"))
        if piece >= self.n_pieces:
            return Moment(self._index.end.event, max(time_ns, self._index.end.time_ns))
        events = self.read_piece(piece)
        n = int(np.searchsorted(events.time_ns, time_ns, side="right"))
        return Moment(int(pieces.first_event[piece]) + n, time_ns)

    def list_proofs(self, event: int) -> Iterator[tuple[Int64s, UInt64s, UInt32s]]:
        """Yield birth events, addresses and types of blocks that were born in the first ``event``
        events and have a type that was proven later. A few that were proven earlier may be among
        them."""
        for step in self._index.proofs:
            if step.until.event > event > step.first_birth:
                births, addresses, types = self._read_proofs(step)
                end = int(np.searchsorted(births, event))
                yield births[:end], addresses[:end], types[:end]

    def _decode(self, piece: int) -> EventColumns:
        pieces, n_start = self._index.pieces, self._order.n_start
        if piece < n_start:
            events = self._order.read_start_piece(piece)
        else:
            after = int(pieces.end_ns[piece - 1]) if piece > n_start else self._index.begin_ns - 1
            events = self._order.read(after, int(pieces.end_ns[piece]))
        return self._add_types(events, int(pieces.first_event[piece]))

    def _add_types(self, events: EventColumns, first: int) -> EventColumns:
        """Return the events with proven types in births without a type. ``first``: the number of
        the first event."""
        end = first + len(events)
        types: UInt32s | None = None
        for step in self._index.proofs:
            if step.until.event <= first or step.first_birth >= end:
                continue
            births, _, proven = self._read_proofs(step)
            low, high = np.searchsorted(births, [first, end])
            if high > low:
                types = events.type.copy() if types is None else types
                rows = births[low:high] - first
                rows_type = np.where(types[rows] == 0, proven[low:high], types[rows])
                is_birth = np.isin(events.kind[rows], _BIRTHS)
                types[rows[is_birth]] = rows_type[is_birth]
        if types is None:
            return events
        freeze(types)
        return replace(events, type=types)

    def _read_proofs(self, step: ProofStep) -> tuple[Int64s, UInt64s, UInt32s]:
        read = self._index.side_file.read
        return (
            read(step.birth_event, np.int64),
            read(step.address, np.uint64),
            read(step.type, np.uint32),
        )
