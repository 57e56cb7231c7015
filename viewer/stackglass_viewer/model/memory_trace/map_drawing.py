"""Drawing of heap maps: exactly by a replay, or from the granule log if a replay would take too
long."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Float64s, Int64s, UInt32s, freeze
from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.memory_trace.address_axis import GRANULE_BYTES
from stackglass_viewer.model.memory_trace.event_reader import EventReader
from stackglass_viewer.model.memory_trace.heap_map import (
    AddressAxis,
    HeapMap,
    KeyBytes,
    MapKey,
    MapWindow,
)
from stackglass_viewer.model.memory_trace.live_states import LiveStates
from stackglass_viewer.model.memory_trace.survey import apply_events
from stackglass_viewer.model.memory_trace.trace_index import TraceIndex
from stackglass_viewer.native import _loops

EXACT_NS = 80_000_000
"""The longest time that an exact map may take, unless the caller asks for an exact map."""
DRAW_NS, START_NS = 90, 20
"""Measured time to apply and draw an event, and to draw a block that lives at the start."""
_KEYS = (MapKey.TYPE, MapKey.SITE, MapKey.SIZE_CLASS, MapKey.AGE)  # as in memory_raster.h
_COLUMN_OF_KEY = {
    MapKey.TYPE: "type",
    MapKey.SITE: "stack",
    MapKey.SIZE_CLASS: "size_class",
    MapKey.AGE: "type",
}
_FOREVER = (1 << 63) - 1
_MOST_TABLE = 1 << 24  # keys below this are summed in an array, larger keys by sorting

Progress = Callable[[float], bool]
Sums = tuple[_loops.Column, _loops.Column] | None
"""Keys and bytes as a finished map returns them; None = no map was drawn."""


class MapDrawing:
    """Draws maps of one trace. Any thread."""

    def __init__(
        self, reader: EventReader, states: LiveStates, index: TraceIndex, axis: AddressAxis
    ) -> None:
        self._reader = reader
        self._states = states
        self._index = index
        self.axis = axis

    def draw(
        self,
        window: MapWindow,
        shape: tuple[int, int],
        key: MapKey,
        is_exact: bool | None,
        progress: Progress,
    ) -> HeapMap:
        """Draw a map of ``shape`` (rows, columns). ``is_exact``: draw it by a replay; None = if
        that takes at most ``EXACT_NS``.

        ``progress`` receives the share done and returns whether to go on. Raises ContentError,
        CancelledError.
        """
        n_rows, n_columns = shape
        window = self._limit(window)
        span = window.end_ns - window.begin_ns
        steps = np.arange(1, n_columns + 1, dtype=np.float64) / n_columns
        moments = window.begin_ns + np.floor(steps * span).astype(np.int64) - 1
        np.maximum(moments, window.begin_ns, out=moments)
        size = np.zeros((n_rows, n_columns), dtype=np.int64)
        keys = np.zeros((n_rows, n_columns), dtype=np.uint32)
        if is_exact is None:
            is_exact = self._measure(window) <= EXACT_NS
        arguments = self._describe(window, key, n_rows, moments, size, keys)
        row_bytes = -(-(window.high - window.low) // n_rows)
        column_ns = -(-span // n_columns)
        sums: Sums = None
        if not self.axis.total_bytes:
            pass  # nothing was ever allocated
        elif is_exact:
            sums = self._replay(window, arguments, progress)
        else:
            sums = self._draw_log(window, key, arguments)
            row_bytes = max(row_bytes, GRANULE_BYTES)
            column_ns = max(column_ns, self._find_step_ns(window))
        edges = window.low + (window.high - window.low) * np.arange(n_rows + 1) // n_rows
        edges = edges.astype(np.int64)
        held = _sum_cells(size, keys) if sums is None or key is MapKey.AGE else _join(sums)
        freeze(edges, moments, size, keys, held.key, held.bytes)
        return HeapMap(
            *(window, self.axis, key, edges, moments, size, keys),
            held,
            row_bytes,
            column_ns,
            is_exact,
        )

    def _limit(self, window: MapWindow) -> MapWindow:
        """Return the window within the axis, at least one nanosecond wide and one byte high."""
        low = min(max(window.low, 0), max(self.axis.total_bytes - 1, 0))
        return MapWindow(
            window.begin_ns,
            max(window.end_ns, window.begin_ns + 1),
            low,
            max(min(window.high, self.axis.total_bytes), low + 1),
        )

    def _measure(self, window: MapWindow) -> int:
        """Estimate the time to draw an exact map, ns, from the index alone."""
        pieces = self._index.pieces
        if not len(pieces.end_ns):
            return 0
        ends = np.array([window.begin_ns, window.end_ns])
        begin, end = np.searchsorted(pieces.end_ns, ends).tolist()
        last = len(pieces.end_ns) - 1
        first = int(pieces.first_event[min(begin + 1, last)])
        until = int(pieces.first_event[min(end, last) + 1])
        n_live = int(pieces.live_objects[min(begin, last)])
        start_ns = self._states.measure_reach(first) + n_live * START_NS
        return start_ns + max(until - first, 0) * DRAW_NS

    def _describe(
        self,
        window: MapWindow,
        key: MapKey,
        n_rows: int,
        moments: Int64s,
        size: Int64s,
        keys: UInt32s,
    ) -> tuple[object, ...]:
        """Return the map as the arguments that the native code takes."""
        axis = (self.axis.start, self.axis.size, self.axis.position)
        return (axis, (window.low, window.high), _KEYS.index(key), n_rows, moments, size, keys)

    def _replay(self, window: MapWindow, arguments: tuple[object, ...], progress: Progress) -> Sums:
        begin = self._reader.find_moment(window.begin_ns)
        end = self._reader.find_moment(window.end_ns - 1)
        with self._states.advance_from(begin) as replay:
            replay.begin_map(*arguments)
            try:
                for first, events in self._reader.read(begin.event, end.event):
                    apply_events(replay, events)
                    done = (first + len(events) - begin.event) / (end.event - begin.event)
                    if not progress(done):
                        raise CancelledError
            finally:
                sums = replay.end_map()
        return sums

    def _draw_log(self, window: MapWindow, key: MapKey, arguments: tuple[object, ...]) -> Sums:
        log, read = self._index.granules, self._index.side_file.read
        column = _COLUMN_OF_KEY[key]
        birth_ns, death_ns, wide = self._choose_wide(window)
        changes, change_of = _order_changes(birth_ns[wide], death_ns[wide])
        sizes = read(log.wide["size"], np.uint64)[wide]
        wide_key = (
            np.asarray(_loops.classify_sizes(sizes))
            if key is MapKey.SIZE_CLASS
            else read(log.wide[column], np.uint32)[wide]
        )
        columns = (
            read(log.number, np.uint64),
            log.step_ns,
            log.step_start,
            read(log.granule, np.uint32),
            read(log.bytes, np.int64),
            read(getattr(log, column), np.uint32),
            read(log.birth_ns, np.int64),
            np.ascontiguousarray(read(log.wide["address"], np.uint64)[wide]),
            np.ascontiguousarray(sizes),
            np.ascontiguousarray(birth_ns[wide]),
            wide_key,
            changes,
            change_of,
        )
        keys = log.key_steps[log.step_ns[log.key_steps] <= window.begin_ns]
        return _loops.draw_granules(arguments, columns, int(keys[-1]) if len(keys) else 0)

    def _choose_wide(self, window: MapWindow) -> tuple[Int64s, Int64s, npt.NDArray[np.intp]]:
        """Return births and deaths of all objects larger than a granule, and which rows are in the
        window."""
        wide, read = self._index.granules.wide, self._index.side_file.read
        birth_ns, death_ns = (
            read(wide[name], np.int64).astype(np.int64) for name in ("birth_ns", "death_ns")
        )
        low, high = self.axis.to_address(window.low), self.axis.to_address(window.high - 1) + 1
        address = read(wide["address"], np.uint64)
        is_inside = (address < high) & (address + read(wide["size"], np.uint64) > low)
        is_inside &= (birth_ns < window.end_ns) & (death_ns > window.begin_ns)
        return birth_ns, death_ns, np.flatnonzero(is_inside)

    def _find_step_ns(self, window: MapWindow) -> int:
        """Return the mean distance of the log's steps in the window, ns."""
        times = self._index.granules.step_ns
        begin, end = np.searchsorted(times, [window.begin_ns, window.end_ns])
        return int((window.end_ns - window.begin_ns) / max(int(end - begin), 1))


def _join(sums: tuple[_loops.Column, _loops.Column]) -> KeyBytes:
    """Return the bytes by key from a drawing, which has an entry for each row that a key is in."""
    key, size = np.asarray(sums[0]), np.asarray(sums[1])
    return _add_up(key, size)


def _sum_cells(size: Int64s, key: UInt32s) -> KeyBytes:
    """Return the bytes of cells by the cell's key."""
    return _add_up(key.ravel(), size.ravel())


def _add_up(key: UInt32s, size: Int64s | Float64s) -> KeyBytes:
    if not len(key) or int(key.max()) >= _MOST_TABLE:
        keys, inverse = np.unique(key, return_inverse=True)
        sums = np.bincount(inverse.ravel(), weights=size, minlength=len(keys))
    else:
        sums = np.bincount(key, weights=size)
        keys = np.arange(len(sums), dtype=np.uint32)
    is_used = sums > 0
    return KeyBytes(keys[is_used].astype(np.uint32), sums[is_used].astype(np.float64))


def whole_window(index: TraceIndex, axis: AddressAxis) -> MapWindow:
    """Return the window that shows all of a trace."""
    return MapWindow(index.begin_ns, index.end.time_ns + 1, 0, max(axis.total_bytes, 1))


def _order_changes(birth_ns: Int64s, death_ns: Int64s) -> tuple[Int64s, npt.NDArray[np.int32]]:
    """Return the times of births and deaths, and their objects, numbered from 1 and negative for a
    death: (n,) each, by time. At the same time deaths come first, since an address may be used
    again at once."""
    of = np.arange(1, len(birth_ns) + 1, dtype=np.int32)
    times = np.concatenate((death_ns, birth_ns))
    change_of = np.concatenate((-of, of))
    order = np.argsort(times, kind="stable")
    order = order[times[order] < _FOREVER]
    return np.ascontiguousarray(times[order]), np.ascontiguousarray(change_of[order])


def size_class(size: int) -> int:
    """Return the size class of a block, bytes: multiples of 16 up to 512, then steps of an eighth
    of a power of two."""
    column = _loops.classify_sizes(np.array([size], dtype=np.uint64))
    return int(np.asarray(column)[0])
