"""Heap of a session: memory in use at a moment, and growth or allocations between two moments."""

from __future__ import annotations

import threading

from stackglass_viewer.model.columns.downsampling import AgedRows
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.columns.source_lines import LineTables
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.diff import (
    HeapWindow,
    WindowView,
    compare_moments,
    measure_allocations,
    measure_growth,
    sum_allocations,
)
from stackglass_viewer.model.heap.live import HeapWhen, LiveHeap
from stackglass_viewer.model.heap.snapshot import HeapMoment, keep_labelled, transform_heap
from stackglass_viewer.model.live.labels import LiveLabels
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.memory.history import MemoryHistory
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.profile.transforms import Transform


class SessionHeap:
    """Reads the heap of a live profile, and shares the profile's lock and parts. Any thread."""

    def __init__(
        self,
        lock: threading.Lock,
        tree: LiveTree,
        labels: LiveLabels,
        heap: LiveHeap,
        memory: MemoryHistory,
    ) -> None:
        """``lock`` guards the other arguments."""
        self._lock = lock
        self._tree = tree
        self._labels = labels
        self._heap = heap
        self._memory = memory

    def capture(
        self,
        when: HeapWhen = HeapWhen.LIVE,
        span_ns: int | None = None,
        at_ns: int | None = None,
        transforms: tuple[Transform, ...] = (),
    ) -> HeapMoment:
        """Return the heap now, or for HeapWhen.LIVE as it was at ``at_ns`` (CLOCK_MONOTONIC).

        Allocations are counted since the client connected or ``clear``, or for HeapWhen.LIVE in the
        last ``span_ns`` before the moment. Memory in use is all that was in use at the moment. The
        resolution is that of the engine's reports: some five per second, fewer for old times. The
        lock is held while the sums are copied. ``transforms``: steps that leave out or merge
        frames. ``heap/snapshot.py`` shows how to use the result. Raises PatternError.
        """
        with self._lock:
            heap = self._heap
            status = heap.status
            reported_ns = status.time_mono_ns if status is not None else 0
            time_ns = reported_ns if at_ns is None else at_ns
            is_live = when is HeapWhen.LIVE
            since, counted_ns = heap.take_since(span_ns if is_live else None, time_ns)
            moment = HeapMoment(
                tree=self._tree.view(),
                node_of_wire=self._tree.node_of_wire(),
                labels=self._labels.view(),
                buckets=heap.view_buckets(),
                sums=heap.take_sums(when, at_ns),
                since=since,
                when=when,
                time_ns=time_ns,
                span_ns=counted_ns,
                status=status,
            )
            wire_parent = self._tree.wire_parent.view()
        return transform_heap(moment, transforms, wire_parent)

    def list_times(self) -> list[int]:
        """Return the moments at which the heap is known, ns, CLOCK_MONOTONIC, ascending."""
        with self._lock:
            return self._heap.list_times()

    def snap(self, time: float) -> int:
        """Return the moment nearest to ``time`` at which the memory in use is known, in units."""
        with self._lock:
            times_ns = self._heap.list_times()
            return self._memory.snap(time, times_ns, self._heap.exact_from_ns)

    def end_ns(self, time: int) -> int:
        """Return the last nanosecond of a unit, CLOCK_MONOTONIC."""
        with self._lock:
            return self._memory.end_ns(time)

    def view_window(
        self,
        window: HeapWindow,
        column: HeapColumn,
        tids: frozenset[int] | None = None,
        labels: frozenset[LabelFilter] = frozenset(),
        transforms: tuple[Transform, ...] = (),
    ) -> WindowView:
        """Return the growth between two moments, or the allocations between them.

        ``column``: a column of memory in use for growth, else one of allocations. ``tids``: count
        allocations by these threads alone; None = by all. ``labels``: only memory that passes
        (``match_labels``). ``transforms``: as in ``capture``. The known moments nearest to those of
        the window are used. Any thread. Raises PatternError.
        """
        lines = self._view_lines()
        if window.kind == "growth":
            earlier, later, after, until = self._capture_ends(window, transforms)
            earlier, later = keep_labelled(earlier, labels), keep_labelled(later, labels)
            return WindowView(
                later.tree, *compare_moments(earlier, later, column, lines), after, until
            )
        tables, moment, after, until = self._capture_span(window, transforms)
        summed = sum_allocations(tables, moment, (after, until), tids, column, lines, labels)
        return WindowView(moment.tree, *summed, after, until)

    def measure_window(
        self,
        window: HeapWindow,
        tids: frozenset[int] | None = None,
        transforms: tuple[Transform, ...] = (),
    ) -> tuple[HeapMoment, Int64s]:
        """Return growth or allocations by bucket: a moment with all buckets, and their values, (4,
        n_buckets) by HeapColumn. Arguments as in ``view_window``."""
        if window.kind == "growth":
            earlier, later, _, _ = self._capture_ends(window, transforms)
            return later, measure_growth(earlier, later)
        tables, moment, after, until = self._capture_span(window, transforms)
        return moment, measure_allocations(tables, moment, (after, until), tids)

    def _list_ends(self, window: HeapWindow) -> tuple[int, int]:
        ends = (window.after, self._memory.now if window.until is None else window.until)
        return min(ends), max(ends)

    def _capture_ends(
        self, window: HeapWindow, transforms: tuple[Transform, ...]
    ) -> tuple[HeapMoment, HeapMoment, int, int]:
        after, until = map(self.snap, self._list_ends(window))
        earlier, later = (
            self.capture(at_ns=self.end_ns(moment), transforms=transforms)
            for moment in (after, until)
        )
        return earlier, later, after, until

    def _capture_span(
        self, window: HeapWindow, transforms: tuple[Transform, ...]
    ) -> tuple[Tables[AgedRows], HeapMoment, int, int]:
        ends = self._list_ends(window)
        with self._lock:
            after, until = self._memory.widen(*ends)
            after = max(after, self._find_clear())
            until = max(until, after)
            tables = self._memory.list_allocations()
        return tables, self.capture(transforms=transforms), after, until

    def _find_clear(self) -> int:
        """Return the moment of the last clear, in units; 0 = there was none."""
        cleared_ns, start_ns = self._heap.cleared_ns, self._memory.end_ns(-1) + 1
        return 0 if cleared_ns is None else max(cleared_ns - start_ns, 0) // UNIT_NS

    def _view_lines(self) -> LineTables:
        with self._lock:
            return self._tree.view_lines()
