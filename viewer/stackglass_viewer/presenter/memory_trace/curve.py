"""Curve of live bytes over the visible time of a heap map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.memory_trace.heap_map import HeapMap, MapKey, MapWindow
from stackglass_viewer.model.memory_trace.trace import MemoryTrace


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Live bytes of all addresses, at the moments of a map's columns. Immutable."""

    window: MapWindow
    live_bytes: Int64s  # (columns,)
    most_bytes: Int64s  # (columns,) the highest known value since the column before
    peak: tuple[int, int]  # of the whole trace: time in ns, bytes

    @property
    def top_bytes(self) -> int:
        """The highest value of the curve."""
        return int(self.most_bytes.max()) if len(self.most_bytes) else 0


def draw_curve(trace: MemoryTrace, heap_map: HeapMap) -> Curve:
    """Return the curve of a map's columns. Any thread.

    If the map shows only a part of the addresses, another map of one row is drawn with all of them.
    """
    window, whole, index = heap_map.window, trace.whole, trace.index
    is_whole = window.low <= whole.low and window.high >= whole.high
    row = heap_map
    if not is_whole:
        shape = (1, heap_map.shape[1])
        wide = window._replace(low=whole.low, high=whole.high)
        row = trace.draw_map(wide, shape, MapKey.SIZE_CLASS)
    live = row.live_bytes.sum(axis=0)
    most = live.copy()
    times = np.append(index.pieces.end_ns, index.peak.time_ns)
    values = np.append(index.pieces.live_bytes, index.peak_bytes)
    column = np.searchsorted(row.moment_ns, times)
    is_shown = (column < len(live)) & (times >= window.begin_ns)
    np.maximum.at(most, column[is_shown], values[is_shown])
    freeze(live, most)
    return Curve(window, live, most, (index.peak.time_ns, index.peak_bytes))
