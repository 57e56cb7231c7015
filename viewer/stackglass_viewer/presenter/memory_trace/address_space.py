"""Address space at a moment: lines of pool-sized cells, which show how full arenas and spans are.

A line is one large span, or all small spans in an aligned range of ``CELLS`` pools::

    0x7f12…00000  ▇▇▇▅▁▁··▇▇▂…  64 cells, each a 64th of the line
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Bools, Int64s, UInt64s, freeze
from stackglass_viewer.model.memory_trace.fill import (
    ClassFill,
    Spans,
    measure_pools,
    sum_classes,
)
from stackglass_viewer.model.memory_trace.findings import count_uncertain
from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks, Moment
from stackglass_viewer.model.memory_trace.source import TraceInfo
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import format_count, format_quantity, format_share, format_value
from stackglass_viewer.presenter.memory_trace.block_choice import MapCell

CELLS = 64  # of a line; arenas of CPython have 64 pools of 16 KiB
UNUSED = -1.0
"""The fill of a cell that is in no span."""
_POOL_BYTES = 1 << 14  # CPython's pool size since 3.10, if the trace does not name one
_MOST_LINES = 1 << 14  # further lines are counted, but not shown

Fills = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class AddressSpace:
    """Lines in order of address, and sums of each line. Immutable."""

    address: UInt64s  # (n,)
    size: UInt64s  # (n,) bytes
    fill: Fills  # (n, CELLS) share of each cell that live blocks use, 0 … 1, or UNUSED
    live_bytes: Int64s  # (n,) of the blocks in the line's spans
    span_bytes: Int64s  # (n,) of the line's spans
    n_objects: Int64s  # (n,) in the line's spans
    is_pinned: Bools  # (n,) whether a span of the line is mostly free, but kept by its objects
    n_left_out: int  # number of lines that are not shown

    def __len__(self) -> int:
        return len(self.address)


@dataclass(frozen=True, slots=True, eq=False)
class HeapState:
    """The heap at a moment. Immutable."""

    moment: Moment
    live_bytes: int  # of all live blocks
    n_objects: int
    n_uncertain: int  # blocks that may have been freed by lost events
    space: AddressSpace
    pinned_bytes: int  # free bytes in pinned spans
    n_pinning: int  # objects in pinned spans
    outside_bytes: int  # of blocks in no span, which are the C library's
    classes: tuple[ClassFill, ...]  # fragmentation by size class, the most wasteful first


def read_state(trace: MemoryTrace, moment: Moment) -> HeapState:
    """Read the state of the heap at a moment. Any thread."""
    sites = trace.sum_live(moment)
    live_bytes = int(sites.size.sum())
    spans = trace.measure_spans(moment)
    space = lay_out_space(spans, trace.walk_live(moment), trace.info)
    is_pinned = spans.is_pinned
    return HeapState(
        moment=moment,
        live_bytes=live_bytes,
        n_objects=int(sites.n.sum()),
        n_uncertain=count_uncertain(trace, moment),
        space=space,
        pinned_bytes=int(spans.size[is_pinned].sum()) - int(spans.live_bytes[is_pinned].sum()),
        n_pinning=int(spans.n_objects[is_pinned].sum()),
        outside_bytes=max(live_bytes - int(spans.live_bytes.sum()), 0),
        classes=tuple(sum_classes(measure_pools(spans, trace.walk_live(moment), trace.info))),
    )


def lay_out_space(spans: Spans, parts: Iterable[LiveBlocks], info: TraceInfo) -> AddressSpace:
    """Lay spans out in lines, and measure their cells. ``parts``: the live blocks, by address."""
    line_bytes = CELLS * (info.pool_bytes or _POOL_BYTES)
    starts = spans.address.astype(np.uint64)
    is_small = spans.size < line_bytes
    line = np.where(is_small, starts // np.uint64(line_bytes) * np.uint64(line_bytes), starts)
    address, first = np.unique(line, return_index=True)
    n_left_out = max(len(address) - _MOST_LINES, 0)
    address, first = address[:_MOST_LINES], first[:_MOST_LINES]
    size = np.where(is_small[first], np.uint64(line_bytes), spans.size[first])
    steps = np.arange(CELLS + 1, dtype=np.uint64)
    edges = address[:, np.newaxis] + size[:, np.newaxis] // np.uint64(CELLS) * steps
    if len(edges):
        edges[:, -1] = address + size  # the size of a span may be no multiple of CELLS
    used = np.diff(_sum_below(starts, spans.size, edges), axis=1)
    held = np.zeros_like(used)
    for objects in parts:
        held += np.diff(_sum_below(objects.address, objects.size, edges), axis=1)
    fill = np.where(used > 0, held / np.maximum(used, 1), UNUSED).astype(np.float32)
    of_line = np.searchsorted(address, line)
    is_shown = of_line < len(address)
    sums = [np.zeros(len(address), dtype=np.int64) for _ in range(4)]
    columns = (spans.live_bytes, spans.size.astype(np.int64), spans.n_objects, spans.is_pinned)
    for total, column in zip(sums, columns, strict=True):
        np.add.at(total, of_line[is_shown], column[is_shown])
    live_bytes, span_bytes, n_objects, n_pinned = sums
    space = AddressSpace(
        address=address,
        size=size,
        fill=np.clip(fill, UNUSED, 1.0),
        live_bytes=live_bytes,
        span_bytes=span_bytes,
        n_objects=n_objects,
        is_pinned=n_pinned > 0,
        n_left_out=n_left_out,
    )
    freeze(*(getattr(space, name) for name in space.__slots__[:-1]))
    return space


def _sum_below(start: UInt64s, size: UInt64s, addresses: UInt64s) -> npt.NDArray[np.float64]:
    """Return the bytes of blocks below each address. Blocks are in order and do not overlap."""
    if not len(start):
        return np.zeros(addresses.shape)
    before = np.concatenate((np.zeros(1), np.cumsum(size.astype(np.float64))))
    last = np.searchsorted(start, addresses, side="right") - 1
    is_any = last >= 0
    at = np.maximum(last, 0)
    inside = np.minimum((addresses - start[at]).astype(np.float64), size[at].astype(np.float64))
    return np.where(is_any, before[at] + inside, 0.0)


def order_lines(space: AddressSpace, is_by_fill: bool) -> Int64s:
    """Return (n,) lines by address, or pinned lines and then those with most free bytes first."""
    if not is_by_fill:
        return np.arange(len(space), dtype=np.int64)
    free = space.span_bytes - space.live_bytes
    return np.lexsort((space.address, -free, ~space.is_pinned)).astype(np.int64)


def describe_state(state: HeapState) -> str:
    """Return ``3.00 MiB in arenas and mappings, 61% full; 2 pinned by 49 objects: …``."""
    space = state.space
    total, live = int(space.span_bytes.sum()), int(space.live_bytes.sum())
    if not len(space):
        return "The trace has no arenas or mappings at this moment."
    parts = [f"{format_value(total, 'bytes')} in arenas and mappings, {_share(live, total)} full"]
    n_pinned = int(np.count_nonzero(space.is_pinned))
    if n_pinned:
        parts.append(
            f"{format_count(n_pinned)} pinned by {format_quantity(state.n_pinning, 'object')}: "
            f"{format_value(state.pinned_bytes, 'bytes')} free in them"
        )
    if state.outside_bytes:
        parts.append(f"{format_value(state.outside_bytes, 'bytes')} outside, from malloc")
    if space.n_left_out:
        verb = "is" if space.n_left_out == 1 else "are"
        parts.append(f"{format_quantity(space.n_left_out, 'more line')} {verb} not shown")
    return "; ".join(parts) + "."


def describe_line(space: AddressSpace, line: int) -> str:
    """Return one line in words."""
    size, live = int(space.span_bytes[line]), int(space.live_bytes[line])
    text = (
        f"0x{int(space.address[line]):x}: {format_value(size, 'bytes')}, "
        f"{_share(live, size)} full, {format_quantity(int(space.n_objects[line]), 'object')}"
    )
    return text + (", pinned: mostly free, kept by these" if space.is_pinned[line] else "")


def locate_area(state: HeapState, line: int, cell: int | None) -> MapCell:
    """Return a cell of a line at the moment of the state; ``cell`` None = the whole line."""
    address, size = int(state.space.address[line]), int(state.space.size[line])
    low, high = (0, CELLS) if cell is None else (cell, cell + 1)
    end = address + (size if high == CELLS else size // CELLS * high)
    return MapCell(address + size // CELLS * low, end, state.moment.time_ns)


def _share(part: int, whole: int) -> str:
    return format_share(min(part / whole, 1.0)) if whole else "0%"
