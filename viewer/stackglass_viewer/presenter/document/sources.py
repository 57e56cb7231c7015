"""Sources of a tab's views: the protocol, what a source builds, and the source of a profile.

A source builds everything that a tab shows, on the worker's thread. The other sources are in
``table_source``, ``live/source`` and ``remote/source``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId, UInt32s
from stackglass_viewer.model.contention.snapshot import ContentionOffer
from stackglass_viewer.model.contention.table import ContentionTable, build_profile_table
from stackglass_viewer.model.contention.wait_rate import WaitingSeries
from stackglass_viewer.model.findings.background import Background, describe_profile
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, build_call_tree, sum_type
from stackglass_viewer.model.graph.first_seen import find_first_seen
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.kept_order import KeptOrder
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.graph.top import TopTable, build_top, measure_whole
from stackglass_viewer.model.heap.cost import HeapCost
from stackglass_viewer.model.heap.sites import HeapTable, build_heap_table, list_profile_rows
from stackglass_viewer.model.profile.label_roots import root_by_label
from stackglass_viewer.model.profile.label_table import LabelIndex, index_profile, match_labels
from stackglass_viewer.model.profile.label_values import (
    LabelledValues,
    LabelValues,
    build_label_values,
)
from stackglass_viewer.model.profile.native_frames import has_native
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.profile.sample_counts import count_samples, list_counts
from stackglass_viewer.model.profile.sample_times import cut_profile
from stackglass_viewer.model.profile.sample_types import choose_first
from stackglass_viewer.model.profile.tag_filter import mask_samples
from stackglass_viewer.model.profile.transforms import Transform, transform_profile
from stackglass_viewer.model.units import format_value, make_sentence
from stackglass_viewer.presenter.document.build_request import ORDERS, BuildRequest
from stackglass_viewer.presenter.document.changes import describe_changes, mark_changes
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.document.legend import LabelColours, Legend, choose_colour_key
from stackglass_viewer.presenter.document.time_chart_data import (
    ProfileTimes,
    TimeChoice,
    Timed,
    list_kinds,
)
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    arrange,
    find_contention_types,
    find_heap,
)
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, ThreadRow
from stackglass_viewer.presenter.tables.top_model import Arrangement, order_rows

_IN_USE = "inuse_"
_HINT = "no samples: "  # of the comment of an empty profile that names the missing rate


@dataclass(frozen=True, slots=True, eq=False)
class ContentionBuilt:
    """What is shown of contention besides the graph."""

    table: ContentionTable | None = None  # None = not asked for
    waiting: WaitingSeries | None = None  # waits over time; None = their times are not known
    offer: ContentionOffer | None = None  # None = a file: there is nothing to filter by


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """Everything that a tab shows, as one build made it."""

    scene: FlameScene | None  # None = no stacks
    top: TopTable
    rows: Int64s  # (n_rows,) functions of the table in the order ``arrangement``
    arrangement: Arrangement
    info: DocumentInfo
    threads: tuple[ThreadRow, ...] | None = None  # None = the source does not list threads
    heap: HeapTable | None = None  # None = not asked for, or there is no heap
    heap_grouping: str = ""  # grouping of ``heap``
    heap_costs: tuple[HeapCost, ...] = ()  # of the heap's rates; () = not known
    contention: ContentionBuilt | None = None  # None = another sample type is shown
    warnings: tuple[str, ...] = ()  # of the file's reader
    labels: LabelValues | None = None  # None = not asked for
    n_samples: int | None = None  # number of samples taken; None = not known
    describe: Callable[[], Background] | None = None  # for the summary; may run in any thread
    legend: Legend | None = None  # None = each function has a colour
    inverted: FlameScene | None = None  # callees first; None = not asked for
    sample_types: tuple[SampleType, ...] | None = None  # the types there are now; None = unchanged
    calls: FunctionTable | None = None  # of a file without stacks: which function calls which
    timed: Timed | None = None  # None = not asked for, or not known
    cpu_s: float = 0.0  # CPU time of the build

    @property
    def shown(self) -> FlameScene | None:
        """The graph that a view shows."""
        return self.inverted if self.inverted is not None else self.scene

    @property
    def is_idle(self) -> bool:
        """Whether no thread used the CPU: the threads' current stacks are shown instead."""
        return self.scene is not None and self.scene.is_idle


class Source(Protocol):
    """Builds what a tab shows."""

    @property
    def first_type(self) -> int:
        """The sample type that is shown first."""

    @property
    def sample_types(self) -> Sequence[SampleType]:
        """The sample types that can be chosen."""

    def build(self, request: BuildRequest) -> Built:
        """Build the views. Runs on the worker's thread. Raises StackglassError."""


@runtime_checkable
class ProfileHolder(Protocol):
    """A source that can return the shown data as a profile."""

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile that passes the filters, off the GUI thread. Raises ContentError."""


def build_scene(
    tree: CallTree,
    values: NodeValues,
    colours: UInt32s,
    request: BuildRequest,
    is_idle: bool,
    first: Int64s | None = None,
    kept: KeptOrder | None = None,
) -> FlameScene:
    """Return the scene of a tree.

    ``first`` has the time at which each node was seen first; None = nodes are in that order.
    ``kept`` has the places of boxes in a graph that keeps growing; None = there are none.
    """
    subject = (request.placed_for, is_idle) if request.placed_for is not None else None
    before = kept.find(tree, subject) if kept is not None else None
    layout = lay_out(tree, values, ORDERS[request.order], first, before)
    if kept is not None:
        kept.keep(tree, layout, subject)
    return FlameScene(tree, values, layout, colours, request.palette.root, is_idle)


class ProfileSource:
    """The source of a file with stacks.

    ``build`` keeps its intermediate results: the profile after the transforms, its part in the
    span, the call tree and the index of labels. Each is made again only if a request differs.
    """

    def __init__(
        self,
        profile: Profile,
        title: str,
        is_difference: bool = False,
        kept: KeptOrder | None = None,
    ) -> None:
        """``is_difference``: the profile is a difference, so values in use may be negative.
        ``kept`` has the places of boxes in a series of profiles."""
        self._whole = profile
        self._transforms: tuple[Transform, ...] = ()
        self._profile = profile  # after ``_transforms``
        self._span: tuple[int, int] | None = None
        self._spanned = profile  # the part of ``_profile`` in ``_span``
        self._title = title
        self._is_difference = is_difference
        self._kept = kept
        self._has_native: bool | None = None  # whether there is C code; None = not looked for yet
        self._tree: CallTree | None = None
        self._split_key = ""  # label that ``_tree`` begins with
        self._index: LabelIndex | None = None  # made when it is first used
        self._colours = FrameColours()
        self._label_colours = LabelColours()
        self._times = ProfileTimes()

    @property
    def first_type(self) -> int:
        return choose_first(self._profile)

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return self._profile.sample_types

    def build(self, request: BuildRequest) -> Built:
        self._transform(request.steps, request.time_span)
        profile, tree = self._choose_labelled(request), self._find_tree(request.split_key)
        values = sum_type(tree, profile, request.type_index)
        whole = measure_whole(profile, request.type_index)
        is_change = self._is_change(request.type_index)
        top = replace(build_top(tree, values), total=whole, is_change=is_change)
        colours = self._colours.of(tree, request.palette)
        info = self._describe(profile, request, top)
        first = find_first_seen(tree, self._profile.times) if request.order == "time" else None
        scene = build_scene(tree, values, colours, request, False, first, self._kept)
        scene = replace(scene, is_split=bool(request.split_key))
        scene, legend = self._colour_boxes(scene, profile, request, info.choice.is_wall)
        return Built(
            scene=mark_changes(scene, request.palette, whole) if is_change else scene,
            legend=None if is_change else legend,
            top=top,
            rows=order_rows(top, request.arrangement),
            arrangement=request.arrangement,
            info=info,
            contention=self._build_contention(profile, request, info.choice.contention),
            heap=self._build_heap(profile, request),
            heap_grouping=request.heap_grouping,
            warnings=profile.warnings,
            labels=self._build_labels(request, info.choice.is_wall),
            n_samples=count_samples(profile),
            describe=partial(
                describe_profile,
                profile,
                tree,
                request.type_index,
                is_whole=not (request.labels or request.transforms),
            ),
            timed=self._build_timed(tree, request, scene, legend),
        )

    def _build_timed(
        self, tree: CallTree, request: BuildRequest, scene: FlameScene, legend: Legend | None
    ) -> Timed | None:
        """Return the chart over time of everything that passes the other filters: the user chooses
        the span in this chart, so it is not cut to the span."""
        if not request.has_times:
            self._times.forget()
            return None
        index = self._index_labels() if legend is not None or request.labels else None
        choice = TimeChoice(request.type_index, request.labels, request.palette, list_kinds(legend))
        return self._times.make(self._profile, tree, index, choice, scene.colours)

    def _colour_boxes(
        self, scene: FlameScene, profile: Profile, request: BuildRequest, is_wall: bool
    ) -> tuple[FlameScene, Legend | None]:
        """Colour boxes by a label. ``profile`` is what passed the filter. Samples of the wall clock
        without states keep the colours of their functions, unless the user chose a label."""
        key = choose_colour_key(request.colour_key, is_wall)
        if not key or not len(profile.labels.key):
            return scene, None
        bearers = np.arange(self._profile.n_samples, dtype=np.int32)
        weights = profile.samples.values[request.type_index]
        rows = LabelledRows(scene.tree.sample_node, bearers, weights)
        index = self._index_labels()
        colours, legend = self._label_colours.paint(scene.tree, rows, index, key, request.palette)
        if request.colour_key is None and not legend.entries:
            return scene, None
        return replace(scene, box_colours=colours), legend

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile that passes the filters. Any thread: no state of ``build`` is used."""
        profile = transform_profile(self._whole, request.steps)
        if request.time_span is not None:
            profile = cut_profile(profile, *request.time_span)
        if request.labels:
            profile = mask_samples(profile, match_labels(index_profile(profile), request.labels))
        return profile

    def _transform(self, transforms: tuple[Transform, ...], span: tuple[int, int] | None) -> None:
        is_other = transforms != self._transforms
        if is_other:
            self._profile = transform_profile(self._whole, transforms)
            self._transforms, self._tree, self._index = transforms, None, None
        if is_other or span != self._span:
            self._span = span
            self._spanned = self._profile if span is None else cut_profile(self._profile, *span)

    def _find_tree(self, split_key: str) -> CallTree:
        if self._tree is None or split_key != self._split_key:
            profile = self._profile
            if split_key:
                profile = root_by_label(profile, self._index_labels(), split_key)
            self._tree, self._split_key = build_call_tree(profile), split_key
            self._colours = FrameColours()
        return self._tree

    def _finds_native(self) -> bool:
        """Whether any function is C code. Only ``build`` calls this method, on the worker's thread,
        because it reads the names of all functions."""
        if self._has_native is None:
            names = self._whole.functions.name.tolist()
            self._has_native = has_native(self._whole.strings[name] for name in names)
        return self._has_native

    def _index_labels(self) -> LabelIndex:
        if self._index is None:
            self._index = index_profile(self._choose_labels(self._profile))
        return self._index

    def _choose_labels(self, profile: Profile) -> Profile:
        """Return the profile with only the labels that are shown."""
        return profile

    def _choose_labelled(self, request: BuildRequest) -> Profile:
        """Return the samples with the labels of the filter."""
        if not request.labels:
            return self._spanned
        return mask_samples(self._spanned, match_labels(self._index_labels(), request.labels))

    def _build_labels(self, request: BuildRequest, is_wall: bool) -> LabelValues | None:
        if request.label_key is None:
            return None
        key = request.label_key or choose_colour_key(request.colour_key, is_wall)
        profile, type_index = self._spanned, request.type_index
        values = LabelledValues(
            self._index_labels(),
            weights=profile.samples.values[type_index],
            counts=list_counts(profile),
            whole=measure_whole(profile, type_index),
            unit=profile.sample_types[type_index].unit,
        )
        return build_label_values(values, key, request.labels)

    def _is_change(self, type_index: TypeId) -> bool:
        """Whether values are negative, or may be."""
        column = self._profile.samples.values[type_index]
        is_in_use = self._profile.sample_types[type_index].name.startswith(_IN_USE)
        return (self._is_difference and is_in_use) or bool((column < 0).any())

    def _build_heap(self, profile: Profile, request: BuildRequest) -> HeapTable | None:
        types = find_heap(profile.sample_types)
        choice = arrange(profile.sample_types, request.type_index).heap
        if types is None or choice is None or not request.heap_grouping:
            return None
        return build_heap_table(
            list_profile_rows(profile, types),
            is_in_use=choice.is_in_use,
            is_by_function=request.heap_grouping == "functions",
            is_by_space=choice.is_space,
            is_change=self._is_change(request.type_index),
        )

    def _build_contention(
        self, profile: Profile, request: BuildRequest, choice: ContentionChoice | None
    ) -> ContentionBuilt | None:
        if choice is None:
            return None
        grouping = request.waits_grouping
        if grouping is None:
            return ContentionBuilt()
        types = find_contention_types(profile.sample_types)[choice.kind]
        table = build_profile_table(profile, types, grouping, choice.is_delay)
        return ContentionBuilt(table)

    def _is_filtered_out(self, profile: Profile, type_index: TypeId) -> bool:
        """Whether no sample or no value is left after the filters."""
        is_there = [each.samples.values[type_index].any() for each in (self._whole, profile)]
        return not profile.n_samples or is_there == [True, False]

    def _describe(self, profile: Profile, request: BuildRequest, top: TopTable) -> DocumentInfo:
        """Return the texts and flags of the tab. ``profile`` is what passed the filter."""
        type_index, native = request.type_index, request.native if self._finds_native() else None
        choice = arrange(profile.sample_types, type_index)
        total = format_value(top.total, top.unit)
        if top.is_change:
            changes = profile.samples.values[type_index]
            total = describe_changes(changes, top.unit) or format_value(0, top.unit)
        parts = [f"Total {total}" if profile.n_samples else "No samples"]
        if choice.heap is not None:
            parts = [choice.heap.describe(total)]
        elif choice.contention is not None:
            parts = [choice.contention.describe(total)]
        if profile.duration_ns > 0:
            parts.append(f"over {format_value(profile.duration_ns, 'nanoseconds')}")
        if profile.time_unix_ns > 0:
            when = datetime.fromtimestamp(profile.time_unix_ns / 1e9).astimezone()
            parts.append(when.strftime("%d %b %Y %H:%M"))
        info = DocumentInfo(
            title=self._title,
            description="  ·  ".join(parts),
            choice=choice,
            has_heap=find_heap(profile.sample_types) is not None,
            has_contention=choice.contention is not None,
            has_stacks=True,
            has_samples=self._whole.n_samples > 0,
            is_filtered_out=self._is_filtered_out(profile, type_index),
            is_live=False,
            has_labels=len(self._choose_labels(self._whole).labels.key) > 0 or bool(request.labels),
            can_split=True,
            can_filter=True,
            has_times=self._whole.times is not None,
            native=native,
        )
        hints = [each[len(_HINT) :] for each in self._whole.comments if each.startswith(_HINT)]
        return replace(info, emptiness=("No samples", make_sentence(hints[0]))) if hints else info
