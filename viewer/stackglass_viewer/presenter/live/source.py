"""Source of a process's tab: builds its views from the growing live profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId, UInt32s
from stackglass_viewer.model.contention.buckets import CONTENTION_TYPES, LISTED_KINDS
from stackglass_viewer.model.contention.snapshot import (
    list_offer,
    list_wait_labels,
    list_wait_rows,
    sum_by_thread,
    sum_contention,
    transform_contention,
)
from stackglass_viewer.model.contention.table import build_moment_table
from stackglass_viewer.model.contention.wait_rate import sum_waiting
from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.kept_order import KeptOrder
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.graph.transformed_tree import transform_tree
from stackglass_viewer.model.heap.buckets import HEAP_TYPES
from stackglass_viewer.model.heap.cost import HeapCost, predict_costs
from stackglass_viewer.model.heap.diff import HeapWindow, list_span_rows
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.heap.sites import HeapTable, build_heap_table, list_capture_rows
from stackglass_viewer.model.heap.snapshot import (
    HeapMoment,
    find_labelled,
    keep_labelled,
    list_heap_labels,
    list_heap_rows,
    sum_heap,
)
from stackglass_viewer.model.live.custom import list_types, sum_custom
from stackglass_viewer.model.live.view import ThreadTotal
from stackglass_viewer.model.live.wall import OF_WALL, drop_wall_filters
from stackglass_viewer.model.live_profile import (
    CPU,
    SAMPLE_TYPES,
    THREADS,
    WALL,
    LiveProfile,
    LiveView,
)
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.profile.label_values import sum_bearers
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.units import format_clock, format_count, format_quantity
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.document.legend import LabelColours
from stackglass_viewer.presenter.document.sources import Built, ContentionBuilt, build_scene
from stackglass_viewer.presenter.live.backgrounds import (
    add_labels,
    describe_allocated,
    describe_waits,
)
from stackglass_viewer.presenter.live.descriptions import (
    describe_contention,
    describe_heap,
    describe_samples,
    say_end,
)
from stackglass_viewer.presenter.live.labelled_graph import (
    THREAD,
    LabelledView,
    build_labels,
    colour_boxes,
    split_view,
    wants_rows,
)
from stackglass_viewer.presenter.live.live_chart_data import CaptureTimes
from stackglass_viewer.presenter.live.thread_list import ThreadList
from stackglass_viewer.presenter.live.time_range import build_window, fits_window
from stackglass_viewer.presenter.settings.sample_choice import (
    CONTENTION,
    HEAP,
    ContentionChoice,
    HeapChoice,
    arrange,
)
from stackglass_viewer.presenter.settings.view_state import HEAP_RATES, DocumentInfo
from stackglass_viewer.presenter.tables.top_model import order_rows

LIVE_TYPES = (*SAMPLE_TYPES, *HEAP_TYPES, *CONTENTION_TYPES * len(LISTED_KINDS))
"""The sample types of every process; types of profiles that the program fills follow them."""
_NAMES = frozenset((HEAP, CONTENTION, *(each.name for each in LIVE_TYPES)))  # taken names
_COST_SPAN_NS = 10_000_000_000
_COST_EVERY_S = 1.5


class LiveSource:
    """Builds the views of one process: of CPU, heap, contention, or a profile that the program
    fills. If no thread used the CPU, CPU views show the threads' current stacks instead."""

    def __init__(self, live: LiveProfile, pid: int, alive: frozenset[int] | None = None) -> None:
        """``pid`` and ``alive`` as in ``ThreadList``."""
        self._live = live
        self._threads = ThreadList(pid, alive, lambda: live.facts.executable)
        self._colours = FrameColours()
        self._kept = KeptOrder()
        self._times = CaptureTimes(live, self._colours)
        self._costs: tuple[HeapCost, ...] = ()
        self._label_colours = LabelColours()
        self._predicted_s = -_COST_EVERY_S
        self._types: tuple[SampleType, ...] = LIVE_TYPES  # of the current build

    @property
    def first_type(self) -> int:
        return CPU

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return LIVE_TYPES

    def build(self, request: BuildRequest) -> Built:
        names = self._live.list_custom()
        self._types = (*LIVE_TYPES, *list_types(names, _NAMES))
        number = request.type_index - len(LIVE_TYPES)
        built = self._build_custom(request, names[number]) if number >= 0 else self._build(request)
        if built.timed is None:
            self._times.forget()  # the data of a long session take tens of MiB
        return replace(built, sample_types=self._types)

    def _build(self, request: BuildRequest) -> Built:
        choice = arrange(self._types, request.type_index)
        if choice.contention is not None:
            return self._build_contention(request, choice.contention)
        heap = choice.heap
        window = request.window
        if heap is not None and heap.is_in_use and window is not None and window.kind == "replay":
            return self._build_heap(request, heap, window.until)
        if window is not None and heap is not None and fits_window(heap, window):
            return self._build_window(request, heap, window)
        return self._build_heap(request, heap) if heap is not None else self._build_cpu(request)

    def _build_cpu(self, request: BuildRequest) -> Built:
        view = self._take(request, TypeId(request.type_index))
        is_idle = False
        is_wall = view.sample_type == WALL
        is_filtered = bool(drop_wall_filters(request.labels, is_wall) or request.transforms)
        is_empty = int(view.values.total[0]) == 0 and not is_filtered
        is_current = request.window is None or request.window.kind == "replay"  # shown as if live
        if is_empty and request.type_index not in (THREADS, WALL) and is_current:
            standing = self._take(request, THREADS)
            if int(standing.values.total[0]) > 0:
                view, is_idle = standing, True
        description = describe_samples(view, request, is_idle, is_filtered)
        names = self._threads.name_rows(view) if request.split_key == THREAD else None
        labelled = LabelledView(view.tree, view.values, view.labelled, view.rows, is_wall, names)
        built = self._draw_labelled(request, labelled, description, is_idle)
        threads = self._threads.list_rows(view.threads)
        timed = self._times.make(request, built.legend)
        return replace(built, threads=threads, timed=timed)

    def _draw_labelled(
        self,
        request: BuildRequest,
        view: LabelledView,
        description: str,
        is_idle: bool = False,
        describe: Callable[[], Background] = Background,
    ) -> Built:
        """Build graph, table of functions and table of labels. ``describe``: the background without
        labels."""
        shown = split_view(view, request)
        built = self._draw(request, shown.tree, shown.values, description, is_idle)
        assert built.scene is not None
        whole = replace(built.scene, is_split=shown is not view)
        scene, legend = colour_boxes(whole, shown, request, self._label_colours)
        has_labels = view.has_labels or bool(drop_wall_filters(request.labels, view.is_wall))
        return replace(
            built,
            scene=scene,
            legend=legend,
            info=replace(built.info, has_labels=has_labels, can_split=True),
            labels=build_labels(request, view.labelled, view.is_wall),
            describe=partial(add_labels, describe, None if request.labels else view.labelled),
        )

    def _build_heap(
        self, request: BuildRequest, choice: HeapChoice, until: int | None = None
    ) -> Built:
        """Build the heap's views. ``until``: the shown moment, in units of 10 ms; None = now."""
        heap, when = self._live.heap, request.heap_when
        if until is None:
            moment = heap.capture(when, request.span_ns, transforms=request.steps)
        else:
            at_ns, when = heap.end_ns(heap.snap(until)), HeapWhen.LIVE
            moment = heap.capture(at_ns=at_ns, transforms=request.steps)
        labelled = list_heap_labels(moment, choice.column)
        moment = keep_labelled(moment, drop_wall_filters(request.labels, is_wall=False))
        values = sum_heap(moment, choice.column)
        rows = None
        if wants_rows(request):
            rows = list_heap_rows(moment, choice.column)
        view = LabelledView(moment.tree, values, labelled, rows)
        description = describe_heap(moment, choice, int(values.total[0]), request)
        if until is not None:
            description += f" at {format_clock(until / UNITS_PER_S)}"
        is_whole = until is None and request.span_ns is None and moment.since is None
        has_allocated = is_whole and choice == HeapChoice()
        describe = partial(describe_allocated, moment) if has_allocated else Background
        built = self._draw_labelled(request, view, description, describe=describe)
        return replace(
            built,
            info=replace(built.info, heap_when=when),
            heap=self._list_sites(request, moment, choice),
        )

    def _build_contention(self, request: BuildRequest, choice: ContentionChoice) -> Built:
        kind, grouping = choice.kind, request.waits_grouping
        assert kind is not None  # a capture always has a kind
        whole = self._live.capture_contention(
            request.span_ns, request.tids, _find_between(request), grouping is not None
        )
        moment = transform_contention(whole, request.steps)
        wanted = replace(request.waits, labels=drop_wall_filters(request.labels, is_wall=False))
        values = sum_contention(moment, kind, choice.column, wanted)
        contention = ContentionBuilt(offer=list_offer(moment, kind))
        if grouping is not None:
            contention = replace(
                contention,
                table=build_moment_table(moment, kind, wanted, grouping, choice.is_delay),
                waiting=sum_waiting(moment, kind, wanted, request.times_until),
            )
        by_thread = sum_by_thread(whole, kind, choice.column)
        threads = [
            ThreadTotal(tid, moment.thread_names.get(tid, ""), value, True)
            for tid, value in by_thread.items()
        ]
        labelled = list_wait_labels(moment, kind, choice.column, request.waits)
        rows = list_wait_rows(moment, kind, choice.column, wanted) if wants_rows(request) else None
        view = LabelledView(moment.tree, values, labelled, rows)
        description = describe_contention(moment, choice, int(values.total[0]), request)
        describe = partial(describe_waits, moment, choice, wanted)
        built = self._draw_labelled(request, view, description, describe=describe)
        return replace(built, threads=self._threads.list_rows(threads), contention=contention)

    def _build_custom(self, request: BuildRequest, name: str) -> Built:
        between = _find_between(request)
        moment = self._live.capture_custom(name, None if between is None else between[1])
        tree, values = moment.tree, sum_custom(moment)
        if request.steps:
            made = transform_tree(tree, request.steps)
            tree, values = made.tree, made.sum_values(values)
        total = int(values.total[0])
        when = say_end(request)
        if between is not None:
            when = f"at {format_clock(between[1] / UNITS_PER_S)}"
        description = f"{format_quantity(total, 'value')} {when}"
        if moment.n_lost:
            description += f"  ·  {format_count(moment.n_lost)} lost"
        built = self._draw(request, tree, values, description)
        choice = replace(built.info.choice, custom=name)
        return replace(built, info=replace(built.info, choice=choice))

    def _draw(
        self,
        request: BuildRequest,
        tree: CallTree,
        values: NodeValues,
        description: str,
        is_idle: bool = False,
    ) -> Built:
        """Build graph and table of functions, which every sample type has."""
        top = build_top(tree, values)
        colours = self._colour_frames(tree, request)
        return Built(
            scene=build_scene(tree, values, colours, request, is_idle, kept=self._kept),
            top=top,
            rows=order_rows(top, request.arrangement),
            arrangement=request.arrangement,
            info=self._make_info(request, description),
            heap_grouping=request.heap_grouping,
            heap_costs=self._predict(),
        )

    def _colour_frames(self, tree: CallTree, request: BuildRequest) -> UInt32s:
        """Return (n_frames,) colours. A split graph's are not kept: its frames may change."""
        if not request.split_key:
            return self._colours.of(tree, request.palette)
        return colour_frames(tree.frame_name, tree.frame_file, request.palette)

    def _build_window(self, request: BuildRequest, choice: HeapChoice, window: HeapWindow) -> Built:
        labels = drop_wall_filters(request.labels, is_wall=False)
        built = build_window(self._live, window, choice.is_space, request, self._colours, labels)
        tids = None if window.kind == "growth" else request.tids
        moment, columns = self._live.heap.measure_window(window, tids, request.steps)
        labelled = sum_bearers(
            moment.labels,
            moment.buckets.labels,
            columns[choice.column],
            None,
            HEAP_TYPES[choice.column].unit,
        )
        is_growth = window.kind == "growth"
        shown = np.where(find_labelled(moment, labels), columns, 0)
        sites = self._list_sites(request, moment, choice, shown, is_growth)
        info = self._make_info(request, built.description)
        has_labels = bool(labelled.index.labels) or bool(labels)
        info = replace(info, heap_when=HeapWhen.LIVE, has_labels=has_labels)
        if not is_growth and wants_rows(request):
            values, rows = list_span_rows(moment, shown[choice.column], choice.column)
            view = LabelledView(moment.tree, values, labelled, rows)
            drawn = self._draw_labelled(request, view, built.description)
            return replace(drawn, heap=sites, info=replace(info, can_split=True))
        return Built(
            scene=built.scene,
            top=built.top,
            rows=order_rows(built.top, request.arrangement),
            arrangement=request.arrangement,
            info=replace(info, can_split=not is_growth),
            heap=sites,
            labels=build_labels(request, labelled),
            heap_grouping=request.heap_grouping,
            heap_costs=self._predict(),
        )

    def _list_sites(
        self,
        request: BuildRequest,
        moment: HeapMoment,
        choice: HeapChoice,
        columns: Int64s | None = None,
        is_change: bool = False,
    ) -> HeapTable | None:
        """Return the heap table; None = not shown. ``columns`` replace the moment's values."""
        if not request.heap_grouping:
            return None
        return build_heap_table(
            list_capture_rows(moment, self._live.list_definitions(), columns),
            is_in_use=choice.is_in_use,
            is_by_function=request.heap_grouping == "functions",
            is_by_space=choice.is_space,
            is_change=is_change,
        )

    def _predict(self) -> tuple[HeapCost, ...]:
        """Return the predicted cost of each heap rate, from every bucket, at intervals."""
        now_s = time.monotonic()
        if now_s - self._predicted_s >= _COST_EVERY_S:
            self._predicted_s = now_s
            moment = self._live.heap.capture(span_ns=_COST_SPAN_NS)
            self._costs = predict_costs(moment, HEAP_RATES)
        return self._costs

    def _make_info(self, request: BuildRequest, description: str) -> DocumentInfo:
        return DocumentInfo(
            title="",
            description=description,
            choice=arrange(self._types, request.type_index),
            has_stacks=True,
            is_live=True,
            has_heap=True,
            has_contention=True,
            can_filter=True,
            idle_keys=_list_idle_keys(request.type_index),
            has_times=True,
            native=request.native if self._live.facts.has_native else None,
        )

    def _take(self, request: BuildRequest, sample_type: TypeId) -> LiveView:
        between = _find_between(request)
        labels = drop_wall_filters(request.labels, sample_type == WALL)
        return self._live.snapshot(
            request.span_ns,
            request.tids,
            sample_type,
            between,
            labels,
            has_rows=wants_rows(request, sample_type == WALL),
            transforms=request.steps,
        )


def _list_idle_keys(sample_type: TypeId) -> frozenset[str]:
    """Return the label keys that samples of this type do not have."""
    if sample_type == WALL:
        return frozenset()
    return OF_WALL if sample_type < len(SAMPLE_TYPES) else OF_WALL | {THREAD}


def _find_between(request: BuildRequest) -> tuple[int, int] | None:
    window = request.window
    return (window.after, window.until) if window is not None and window.until else None
