"""Memory trace: an opened file, and the queries that the views make.

::

    file ──▶ EventSource ──▶ Survey, once: TraceIndex (checkpoints, sums, granule log)
                  │                                  │
                  └─────▶ EventReader ◀─────────────┘
                                │ events by number
                                ├──▶ LiveStates: the heap at a moment ──▶ BlockSearch
                                └──▶ MapDrawing: the heap map
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.address_axis import make_axis
from stackglass_viewer.model.memory_trace.allocations import Addresses, sum_allocations
from stackglass_viewer.model.memory_trace.block_search import BlockSearch
from stackglass_viewer.model.memory_trace.event_order import MOST_START_EVENTS, EventOrder
from stackglass_viewer.model.memory_trace.event_reader import EventReader
from stackglass_viewer.model.memory_trace.fill import Spans, measure_spans
from stackglass_viewer.model.memory_trace.heap_map import AddressAxis, HeapMap, MapKey, MapWindow
from stackglass_viewer.model.memory_trace.live_blocks import (
    BlockFacts,
    BlockFlag,
    LiveBlocks,
    Moment,
    Space,
)
from stackglass_viewer.model.memory_trace.live_states import NO_END, LiveStates, read_live
from stackglass_viewer.model.memory_trace.map_drawing import MapDrawing, whole_window
from stackglass_viewer.model.memory_trace.side_file import SideFile
from stackglass_viewer.model.memory_trace.site_rows import SiteRows, read_sums, sum_blocks
from stackglass_viewer.model.memory_trace.source import EventSource, TraceInfo
from stackglass_viewer.model.memory_trace.survey import Survey
from stackglass_viewer.model.memory_trace.trace_index import TraceIndex
from stackglass_viewer.model.units import format_count, format_value

Progress = Callable[[float], bool]
"""Receives the share done, 0 … 1, without delay; returns whether to go on."""


_PART_BLOCKS = 1 << 20  # blocks from before the trace in one part of ``walk_live``


def go_on(_share: float) -> bool:
    """Ignore the progress, and go on."""
    return True


class MemoryTrace:
    """An opened trace. Any thread; times are ns on the session's clock."""

    def __init__(
        self,
        source: EventSource,
        name: str,
        progress: Progress = go_on,
        folder: Path | None = None,
    ) -> None:
        """Replay the whole trace once. ``folder``: where the side file is; None = the user's cache.
        Raises ContentError, CancelledError; then the caller must close the source.
        """
        self.name = name  # of the file
        self.info, self.names = source.info, source.names
        self.live = source.live  # the session's other data
        self._source = source
        side_file = SideFile(folder)
        try:
            order = EventOrder(source)
            self.index = Survey(source, side_file).run(order, progress)
        except BaseException:
            side_file.close()
            raise
        self.left_out = order.left_out  # objects of the start snapshot that are not counted
        self._reader = EventReader(order, self.index)
        self._edges = _find_edges(self.index, self.info)
        self._states = LiveStates(self._reader, self.index)
        self._map = MapDrawing(self._reader, self._states, self.index, make_axis(self.index))
        self._search = BlockSearch(self._reader, self._states, self.index, self.names)
        with self._states.at(self.index.peak):
            pass  # allocates the memory that a replay needs, before the first query

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on data that is missing from the trace or inconsistent."""
        return (*self._source.warnings, *describe_troubles(self))

    def find_moment(self, time_ns: int) -> Moment:
        """Return the moment after all events up to a time, inclusive."""
        return self._reader.find_moment(time_ns)

    def list_live(self, moment: Moment, space: Space = Space.OBJECT) -> LiveBlocks:
        """Return the blocks of a space that are live at a moment, by address."""
        with self._states.at(moment) as replay:
            return read_live(replay, space)

    def walk_live(self, moment: Moment) -> Iterator[LiveBlocks]:
        """Yield the live objects at a moment by address, in parts small enough for memory. No arena
        or pool is in two parts."""
        for low, high in pairwise(self._edges):
            with self._states.at(moment) as replay:
                blocks = read_live(replay, Space.OBJECT, low, high)
            yield blocks.take(slice(int(np.searchsorted(blocks.address, np.uint64(low))), None))

    def sum_live(self, moment: Moment) -> SiteRows:
        """Sum the live objects at a moment by stack and type."""
        with self._states.at(moment) as replay:
            return read_sums(replay)

    def sum_survivors(
        self, begin: Moment, end: Moment, addresses: Addresses | None = None
    ) -> SiteRows:
        """Sum the objects that were allocated after ``begin`` and are live at ``end``."""
        with self._states.at(end) as replay:
            blocks = read_live(replay, is_own=True)
        if addresses is not None:
            blocks = blocks.between(*addresses)
        is_own = (blocks.flags & BlockFlag.BORN_BEFORE) == 0
        return sum_blocks(blocks.take(is_own & (blocks.birth_event >= begin.event)))

    def sum_allocations(
        self,
        begin: Moment,
        end: Moment,
        addresses: Addresses | None = None,
        progress: Progress = go_on,
    ) -> SiteRows:
        """Sum the allocations between two moments by site. With ``addresses`` all events are read.

        Raises ContentError, CancelledError.
        """
        span = (begin.event, end.event)
        return sum_allocations(self._reader, self.index, span, addresses, progress)

    def measure_spans(self, moment: Moment) -> Spans:
        """Return the arenas, mappings and other regions at a moment, with their fill."""
        with self._states.at(moment) as replay:
            spans = read_live(replay, Space.SPAN)
        return measure_spans(spans, self.walk_live(moment))

    @property
    def axis(self) -> AddressAxis:
        """The address axis of all maps."""
        return self._map.axis

    @property
    def whole(self) -> MapWindow:
        """The window of a map of the whole trace."""
        return whole_window(self.index, self._map.axis)

    def draw_map(
        self,
        window: MapWindow,
        shape: tuple[int, int],
        key: MapKey,
        *,
        is_exact: bool | None = None,
        progress: Progress = go_on,
    ) -> HeapMap:
        """Draw a heap map of ``shape`` (rows, columns); see ``MapDrawing.draw``."""
        return self._map.draw(window, shape, key, is_exact, progress)

    def list_cell(
        self, heap_map: HeapMap, row: int, column: int, limit: int = 20
    ) -> list[BlockFacts]:
        """Return the objects in a cell of a map, the largest first."""
        low, high, time_ns = heap_map.locate(row, column)
        return self.list_blocks(self.find_moment(time_ns), low, high, limit)

    def list_blocks(self, moment: Moment, low: int, high: int, limit: int = 20) -> list[BlockFacts]:
        """Return the largest objects at a moment that overlap the addresses from ``low`` to
        ``high``, exclusive."""
        return self._search.list_at(moment, low, high, limit)

    def close(self) -> None:
        """Close the source and the side file."""
        self._source.close()
        self.index.side_file.close()


def _find_edges(index: TraceIndex, info: TraceInfo) -> list[int]:
    """Return the addresses that divide the heap into parts, from 0 to ``NO_END``."""
    step = max(info.arena_bytes, info.pool_bytes, 1)
    edges = np.asarray(index.start.split(_PART_BLOCKS)).astype(np.uint64)
    return [0, *np.unique(edges // np.uint64(step) * np.uint64(step)).tolist(), NO_END]


def describe_troubles(trace: MemoryTrace) -> list[str]:
    """Return a sentence for the user on each inconsistency, and on objects that are left out."""
    troubles, left_out = trace.index.troubles, trace.left_out
    lines = []
    if left_out.n:
        lines.append(
            f"{format_count(left_out.n)} blocks from before the trace "
            f"({format_value(left_out.size, 'bytes')}) are left out, with their arenas: more than "
            f"{format_count(MOST_START_EVENTS)} take too much memory. All numbers count only "
            "memory that was allocated in the trace"
        )
    if troubles.n_lost:
        lines.append(
            f"{format_count(troubles.n_lost)} events were lost: blocks that lived then may have "
            "been freed, and are marked as uncertain"
        )
    if troubles.n_overwritten:
        lines.append(
            f"{format_count(troubles.n_overwritten)} blocks were replaced at their address without "
            "a free: their end is that of the replacement"
        )
    return lines


__all__ = ["ContentError", "MemoryTrace", "Progress", "go_on"]
