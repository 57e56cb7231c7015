"""Document of one tab: what it shows and what its user chose, built off the GUI thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.kept_order import KeptOrder
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.units import make_sentence
from stackglass_viewer.presenter.document.build_numbers import BuildNumbers
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.filter_history import FilterHistory
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight
from stackglass_viewer.presenter.document.function_selection import FunctionSelection
from stackglass_viewer.presenter.document.graph_choice import GraphChoice
from stackglass_viewer.presenter.document.graph_scene import GraphSubject
from stackglass_viewer.presenter.document.inversion import add_inverted, drop_small
from stackglass_viewer.presenter.document.notices import Notices
from stackglass_viewer.presenter.document.placing import Placing
from stackglass_viewer.presenter.document.sandwich import SandwichChoice, choose_subject
from stackglass_viewer.presenter.document.search import Search
from stackglass_viewer.presenter.document.source_choice import ShownProfile, SourceChoice
from stackglass_viewer.presenter.document.sources import Built, ProfileHolder, Source
from stackglass_viewer.presenter.document.summary import Summary, choose_summed
from stackglass_viewer.presenter.document.time_chart import TimeChart
from stackglass_viewer.presenter.document.trace_choice import TraceChoice
from stackglass_viewer.presenter.settings.contention_choices import ContentionChoices
from stackglass_viewer.presenter.settings.heap_choices import HeapChoices
from stackglass_viewer.presenter.settings.label_choices import LabelChoices
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    arrange,
    find_contention_type,
    find_contention_types,
    find_entry,
    find_heap,
    find_heap_type,
)
from stackglass_viewer.presenter.settings.span_choice import SpanChoice
from stackglass_viewer.presenter.settings.transform_choices import TransformChoices
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, Notice
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.worker import Worker

_SAY_BUILDING_MS = 400  # most files are shown before this time has passed
BUILDING = Notice(
    "info", "Building the graph. A large profile takes some seconds.", can_close=False
)


class Document(QObject):
    """One tab: its choices, its models and the scenes that its views draw.

    A document lives on the GUI thread. A choice leads to a ``BuildRequest``; the source builds the
    views from it on the worker's thread, and ``_on_built`` hands them to the models.
    """

    scene_changed = Signal(object)  # FlameScene; None = there are no stacks
    info_changed = Signal(object)  # DocumentInfo
    legend_changed = Signal(object)  # Legend; None = each function has a colour
    built = Signal(object)  # Built
    begun_anew = Signal()  # the next graph shows something else, not the same with new values
    highlight_changed = Signal(object)  # Highlight
    notice_changed = Signal(object)  # Notice; None = nothing to say
    style_changed = Signal(object)  # Palette

    def __init__(self, source: Source, style: GraphStyle, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source: Source | None = source  # None once the tab has been left
        self._style = style
        self._sample_types = tuple(source.sample_types)
        self._type_index = source.first_type
        shown = arrange(self._sample_types, self._type_index)
        kinds = find_contention_types(self._sample_types)
        self._worker = Worker("build", self)
        self._kept = KeptOrder()  # places in the inverted graph; used on the worker's thread
        self.placing = Placing(lambda: self._keeps_places, self)
        self.placing.begun_anew.connect(self.build)
        self.builds = BuildNumbers()
        self.heap = HeapChoices(shown.heap or HeapChoice(), self)
        self.contention = ContentionChoices(
            shown.contention or ContentionChoice(next(iter(kinds), None)), self
        )
        self.labels = LabelChoices(self)
        self.transforms = TransformChoices(self)
        self.threads = ThreadModel(self)  # threads of a process; in a file a label names them
        self.brush = SpanChoice(self)
        self.filters = FilterHistory(self.transforms, self.labels, self.threads, self.brush, self)
        self.labelled = LabelModel(self)  # the table of labels
        self.top = TopModel(self._worker, self)
        self.memory = HeapModel(self)  # the table of memory
        self.contended = ContentionModel(self)  # the table of contention
        self.sandwich = SandwichChoice(self._worker, self)
        self.graph = GraphChoice(self)
        self.times = TimeChart(self)
        self.search = Search(self._worker, self)
        self.notices = Notices(self)
        self.source = SourceChoice(self._worker, self._describe_shown, self)
        self.traces = TraceChoice(self._worker, self._describe_shown, self)
        self.summary = Summary(self._worker, self)
        self.selection = FunctionSelection(self._worker, self.sandwich, self)
        self.span_ns: int | None = None
        self.tids: frozenset[int] | None = None
        self._is_front = True
        self._scene: FlameScene | None = None  # the graph that is shown
        self._whole: FlameScene | None = None  # the same graph with callers first, for the sandwich
        self._subject: BuildRequest | None = None  # what is shown, apart from its span of time
        self._info: DocumentInfo | None = None
        self._warnings: tuple[str, ...] = ()  # of the file's reader, now among the notices
        self.heap.value_chosen.connect(self._choose_heap)
        self.heap.changed.connect(self.build)
        self.contention.value_chosen.connect(self._choose_waits)
        self.contention.changed.connect(self.build)
        self.contention.stack_wanted.connect(self.contended.want_stack)
        self.labels.changed.connect(self.build)
        self.transforms.changed.connect(self.build)
        self.brush.changed.connect(self.build)
        self.brush.chosen_changed.connect(self.times.set_span)
        self.times.watched.connect(lambda is_watched: self.build() if is_watched else None)
        self.notices.changed.connect(self.notice_changed)
        self.search.matches_changed.connect(self._emit_highlight)
        self.selection.changed.connect(self._emit_highlight)

    @property
    def info(self) -> DocumentInfo | None:
        """None until the first build is shown."""
        return self._info

    @property
    def scene(self) -> FlameScene | None:
        return self._scene

    @property
    def is_building(self) -> bool:
        return self._worker.is_busy("build")

    @property
    def has_heap(self) -> bool:
        """Whether the heap's values are among the sample types."""
        return find_heap(self._sample_types) is not None

    def set_front(self, is_front: bool) -> None:
        """Note whether the tab is in front. Data that keep coming are shown only in that tab."""
        self._is_front = is_front
        if is_front:
            self._refresh_front()

    def _refresh_front(self) -> None:
        """Show the data that arrived while another tab was in front."""

    def leave(self) -> None:
        """Stop every thread; no signal is emitted any more."""
        for emitter in (self, self.search, self.selection):
            emitter.blockSignals(True)
        self.graph.leave()
        self.times.leave()
        self._worker.leave()

    def wait(self) -> None:
        """Wait until the threads have ended. Any thread may call this method, after ``leave``.

        Large objects are released here: unmapping a million nodes takes longer than a frame.
        """
        self._worker.wait()
        self.graph.wait()
        self.times.wait()
        self.sandwich.forget()
        self.search.forget()
        self.selection.forget()
        self.source.forget()
        self.summary.forget()
        self.traces.forget()
        self._source = self._scene = self._whole = None

    # -- choices

    def build(self) -> None:
        """Build the views again, with the newest data and choices."""
        request, source, style = self._request(), self._source, self._style
        kept = self._kept
        if source is None:
            return
        number = self.builds.begin()
        self._worker.submit(
            "build",
            lambda: _build(source, request, style, kept),
            lambda built: self._show(built, request, number),
            lambda error: self._fail(error, number),
        )
        if self._scene is None:
            QTimer.singleShot(_SAY_BUILDING_MS, self, self._say_building)

    def _say_building(self) -> None:
        """Report a long first build: an empty page would look as if nothing came."""
        if self._scene is None and self.is_building:
            self.notices.put("build", BUILDING)

    @property
    def _keeps_places(self) -> bool:
        """Whether the data change by themselves, so that boxes are to stay where they are."""
        return False

    def _show(self, built: Built, request: BuildRequest, number: int) -> None:
        is_wanted = request.type_index == self._type_index
        self._on_built(built, request)
        if is_wanted:
            self.builds.end(number, is_shown=True)

    def _fail(self, error: Exception, number: int) -> None:
        self.builds.end(number, is_shown=False)
        self._on_failed(error)

    def choose_type(self, index: int) -> None:
        """Choose a sample type. The choices of its group follow it."""
        shown = arrange(self._sample_types, index)
        self.heap.value = shown.heap or self.heap.value
        self.contention.value = shown.contention or self.contention.value
        self._type_index = index
        self.build()

    def choose_entry(self, entry: int) -> None:
        """Choose an entry of the list of sample types, ``DocumentInfo.choice``."""
        self.choose_type(
            find_entry(self._sample_types, entry, self.heap.value, self.contention.value)
        )

    def choose_sample_type(self, wanted: SampleType) -> None:
        """Choose the sample type of this name and unit, if there is one."""
        if wanted in self._sample_types:
            self.choose_type(self._sample_types.index(wanted))

    def choose_style(self, style: GraphStyle) -> None:
        """Set how graphs are drawn."""
        if style != self._style:
            self._style = style
            self.style_changed.emit(style.palette)
            self.build()

    def prepare_profile(self) -> Callable[[], Profile] | None:
        """Return a function that reads what is shown now as a profile; None = the source has none.

        The function may run on any thread but this one, and raises StackglassError.
        """
        source = self._source
        return (
            partial(source.read_shown, self._request())
            if isinstance(source, ProfileHolder)
            else None
        )

    @property
    def shown_type(self) -> SampleType:
        """The sample type of the views."""
        return self._sample_types[self._type_index]

    def _describe_shown(self) -> ShownProfile:
        return ShownProfile(self.prepare_profile(), self.shown_type)

    def show_sandwich(self, is_shown: bool) -> None:
        """Build the sandwich only while it is shown."""
        self.sandwich.watch(is_shown)
        function = self.sandwich.function
        if is_shown and self.selection.function != function >= 0:
            self.selection.choose_function(function)  # the table selects the sandwich's function
        self._choose_first()

    def _choose_heap(self, choice: HeapChoice) -> None:
        if self.has_heap:
            self.choose_type(find_heap_type(self._sample_types, choice))

    def _choose_waits(self, choice: ContentionChoice) -> None:
        if find_contention_types(self._sample_types):
            self.choose_type(find_contention_type(self._sample_types, choice))

    def _choose_first(self) -> None:
        """Without a choice, choose the first function of the table for the sandwich."""
        if self.sandwich.is_watched and self.sandwich.function < 0 and self.top.rowCount():
            self.selection.choose_function(self.top.function_at(0))

    # -- building

    def _request(self) -> BuildRequest:
        return BuildRequest(
            type_index=TypeId(self._type_index),
            order=self._style.order,
            palette=self._style.palette,
            arrangement=self.top.wish,
            span_ns=self.span_ns,
            tids=self.tids,
            heap_when=self.heap.when,
            heap_grouping=self.heap.grouping if self.heap.is_table_shown else "",
            waits=self.contention.wanted,
            waits_grouping=self.contention.grouping if self.contention.is_table_shown else None,
            labels=self.labels.chosen,
            split_key=self.labels.split_key,
            colour_key=self.labels.colour_key,
            transforms=self.transforms.chosen,
            native=self._style.native,
            label_key=self.labels.key if self.labels.is_table_shown else None,
            time_span=self.brush.chosen,
            has_times=self.times.is_watched,
            placing=self.placing.number,
        )

    def _on_built(self, built: Built, request: BuildRequest) -> None:
        if request.type_index != self._type_index:
            # The user has chosen another type meanwhile, and its build is under way: showing this
            # build would make the choice jump back.
            self._worker.empty([built])
            return
        self.notices.put("build", None)
        retired = [self._scene, self._whole]  # released by the worker, once no view shows them
        self._scene, self._whole = built.shown, built.scene
        # If the table's filter or order has changed meanwhile, the table arranges its rows again.
        self._prepare_tables(request)
        is_current = built.arrangement == self.top.wish
        self.top.set_data(built.top, built.rows if is_current else None)
        self.source.set_table(built.top, built.scene)
        self.traces.set_table(built.top, request.subject)
        self.summary.set_subject(choose_summed(built, request, self.shown_type))
        if built.heap is not None:
            self.memory.set_table(built.heap, built.heap_grouping)
        if built.contention is not None and built.contention.table is not None:
            self.contended.set_table(built.contention.table)
        if built.labels is not None:
            self.labelled.set_values(built.labels)
        if built.sample_types is not None:
            self._sample_types = built.sample_types
        if built.info != self._info:
            self._info = built.info
            self.info_changed.emit(built.info)
        if built.warnings != self._warnings:
            self._warnings = built.warnings
            text = "\n".join(map(make_sentence, built.warnings))
            self.notices.put("file", Notice("warning", text) if text else None)
        self.legend_changed.emit(built.legend if built.inverted is None else None)
        self.scene_changed.emit(built.shown)
        self.built.emit(built)
        self.sandwich.set_subject(
            choose_subject(built, request), self._style.order, self._style.palette
        )
        self.graph.set_subject(
            GraphSubject(
                built.top, built.scene, built.calls, self._style.palette, request.type_index
            ),
            replace(request, placing=None),
        )
        if request.has_times == self.times.is_watched:
            self.times.set_timed(built.timed)
        self.search.set_subject(built.shown if built.shown is not None else built.top)
        self.selection.set_scene(built.shown)
        self._worker.empty(retired)
        self._choose_first()

    def _prepare_tables(self, request: BuildRequest) -> None:
        """Let tables hold rows under the pointer only for new values of the same data."""
        if request.subject != self._subject:
            self._subject = request.subject
            for table in (self.top, self.memory, self.contended, self.labelled):
                table.begin_anew()
            self.begun_anew.emit()

    def _on_failed(self, error: Exception) -> None:
        text = " ".join(str(error).split())
        if isinstance(error, MemoryError):
            text = "There is not enough memory to show this profile."
        self.notices.put("build", Notice("error", text))

    def _emit_highlight(self) -> None:
        self.highlight_changed.emit(Highlight(self.search.matches, self.selection.function))


def _build(source: Source, request: BuildRequest, style: GraphStyle, kept: KeptOrder) -> Built:
    """Build the views, with the inverted graph if it is asked for. On the worker's thread."""
    began_s = time.thread_time()
    built = add_inverted(source.build(request), style, kept, request.placed_for)
    return replace(drop_small(built, style), cpu_s=time.thread_time() - began_s)
