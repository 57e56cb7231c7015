"""Address axis of a heap map: the address ranges that a trace ever used, without the gaps."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import UInt64s, freeze
from stackglass_viewer.model.memory_trace.heap_map import AddressAxis
from stackglass_viewer.model.memory_trace.trace_index import TraceIndex

GRANULE_BYTES = 1 << 14
_MOST_GAP_BYTES = 4 * GRANULE_BYTES
"""Gaps between used addresses up to this size stay on the axis."""


def make_axis(index: TraceIndex) -> AddressAxis:
    """Return the axis: all granules in which objects began, and the full range of objects that are
    larger than a granule."""
    read = index.side_file.read
    numbers = np.sort(read(index.granules.number, np.uint64)[1:])
    wide = index.granules.wide
    wide_start = read(wide["address"], np.uint64)
    wide_end = wide_start + read(wide["size"], np.uint64)
    start = np.concatenate((numbers * np.uint64(GRANULE_BYTES), wide_start))
    end = np.concatenate(((numbers + np.uint64(1)) * np.uint64(GRANULE_BYTES), wide_end))
    is_sane = end > start  # the end of the last granule of the address space overflows
    return _merge(start[is_sane], end[is_sane])


def _merge(start: UInt64s, end: UInt64s) -> AddressAxis:
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate(end[order]) if len(order) else end
    if not len(start):
        empty = np.empty(0, dtype=np.uint64)
        return AddressAxis(empty, empty, np.zeros(1, dtype=np.uint64))
    gap = start[1:].astype(np.float64) - end[:-1].astype(np.float64)
    is_first = np.concatenate((np.ones(1, dtype=np.bool_), gap > _MOST_GAP_BYTES))
    first = np.flatnonzero(is_first)
    last = np.concatenate((first[1:], [len(start)])) - 1
    starts, sizes = start[first], end[last] - start[first]
    position = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(sizes, dtype=np.uint64)))
    freeze(starts, sizes, position)
    return AddressAxis(starts, sizes, position)
