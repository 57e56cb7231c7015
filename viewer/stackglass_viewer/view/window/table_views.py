"""Table views of a tab: heap, contention, source, labels, summary, call tree and traces."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.settings.sample_choice import CONTENTION, HEAP
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, LiveStatus
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.source_model import SourceModel
from stackglass_viewer.presenter.tables.trace_model import TraceModel
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.heap.view import HeapView
from stackglass_viewer.view.labels.view import LabelView
from stackglass_viewer.view.source.view import SourceView
from stackglass_viewer.view.summary.view import SummaryView
from stackglass_viewer.view.tables.table_head import TableHead
from stackglass_viewer.view.traces.view import TraceView
from stackglass_viewer.view.widgets.theme import Theme

TABLE_ENTRIES = {"heap": HEAP, "contention": CONTENTION}
"""The entry in the list of sample types that each of these views shows."""
TABLE_VIEWS = (*TABLE_ENTRIES, "source", "labels", "summary", "tree", "traces")
"""All views that are shown in the place of the graph."""

TableView = (
    HeapView | ContentionView | SourceView | LabelView | SummaryView | CallTreeView | TraceView
)
AddHead = Callable[[TableHead], None]


class TableViews(QObject):
    """Makes each view when it is first shown. The views of contention, labels, source and traces
    are made only if their model was added."""

    heap_made = Signal(object)  # HeapView
    contention_made = Signal(object)  # ContentionView
    labels_made = Signal(object)  # LabelView
    source_made = Signal(object)  # SourceView
    summary_made = Signal(object)  # SummaryView
    tree_made = Signal(object)  # CallTreeView
    traces_made = Signal(object)  # TraceView

    def __init__(
        self, memory: HeapModel, theme: Theme, add_head: AddHead, bar: QWidget, area: QWidget
    ) -> None:
        """``add_head``: puts the head of a table into ``bar``.
        ``area``: the parent of the views, which places them."""
        super().__init__(area)
        self._area, self._bar = area, bar
        self._add_head = add_head
        self._theme = theme
        self._heap_model = memory
        self._type_model: TypeModel | None = None  # of a capture
        self._contention_model: ContentionModel | None = None
        self._now_models: tuple[WaitsModel, NowModel] | None = None  # of a capture
        self._status: LiveStatus | None = None  # of a capture, as last reported
        self._placeholder = ("Nothing here", "")
        self._has = dict.fromkeys(TABLE_VIEWS, True)  # until take_info is called
        self.heap: HeapView | None = None
        self.contention: ContentionView | None = None
        self._label_model: LabelModel | None = None
        self.labels: LabelView | None = None
        self._source_model: SourceModel | None = None
        self.source: SourceView | None = None
        self.summary: SummaryView | None = None
        self.tree: CallTreeView | None = None
        self._trace_models: tuple[TraceModel, StackModel] | None = None
        self.traces: TraceView | None = None

    def add_types(self, types: TypeModel) -> None:
        """Add the model of a capture's objects by type."""
        self._type_model = types

    def add_contention(
        self, contended: ContentionModel, now: tuple[WaitsModel, NowModel] | None
    ) -> None:
        """Add the model of contention; ``now``: models of a capture's waiting and all threads."""
        self._contention_model, self._now_models = contended, now

    def add_labels(self, labelled: LabelModel) -> None:
        """Add the model of labels."""
        self._label_model = labelled

    def add_source(self, lines: SourceModel) -> None:
        """Add the model of a source file's lines."""
        self._source_model = lines

    def add_traces(self, traces: TraceModel, stack: StackModel) -> None:
        """Add the models of distinct stacks and of the chosen stack's lines."""
        self._trace_models = (traces, stack)

    def take_info(self, info: DocumentInfo) -> dict[str, bool]:
        """Store and return which views the profile has data for."""
        self._has = {
            "heap": info.has_heap,
            "contention": info.has_contention,
            "labels": info.has_labels,
            "time": info.has_times,
            "tree": info.has_stacks,
            "traces": info.has_stacks,
        }
        return self._has

    def has(self, view: str) -> bool:
        """Whether the profile has data for a view; True for views that every profile has."""
        return self._has.get(view, True)

    def show(self, views: Collection[str], focused: str) -> dict[str, QWidget]:
        """Make the table views among ``views``. Return all made so far, which the area places.

        ``focused``: name of the focused view; only its head is shown.
        """
        if "heap" in views and self.heap is None:
            self._make_heap()
        if "contention" in views and self.contention is None and self._contention_model is not None:
            self._make_contention(self._contention_model)
        if "labels" in views and self.labels is None and self._label_model is not None:
            self._make_labels(self._label_model)
        if "source" in views and self.source is None and self._source_model is not None:
            self._make_source(self._source_model)
        if "summary" in views and self.summary is None:
            self._make_summary()
        if "tree" in views and self.tree is None:
            self._make_tree()
        if "traces" in views and self.traces is None and self._trace_models is not None:
            self._make_traces(*self._trace_models)
        for view in TABLE_ENTRIES:
            made = self.find(view)
            if isinstance(made, (HeapView, ContentionView)):
                made.head.setVisible(view == focused)
        return {view: made for view in TABLE_VIEWS if (made := self.find(view)) is not None}

    def find(self, name: str) -> TableView | None:
        """Return the table view of this name; None = not a table view, or not made yet."""
        match name:
            case "heap":
                return self.heap
            case "contention":
                return self.contention
            case "source":
                return self.source
            case "labels":
                return self.labels
            case "summary":
                return self.summary
            case "tree":
                return self.tree
            case "traces":
                return self.traces
        return None

    def _make_heap(self) -> None:
        self.heap = HeapView(self._heap_model, self._type_model, self._theme, self._bar, self._area)
        self.heap.set_placeholder(*self._placeholder)
        if self._status is not None:
            self.heap.show_status(self._status)
        self._add_head(self.heap.head)
        self.heap_made.emit(self.heap)

    def _make_contention(self, contended: ContentionModel) -> None:
        self.contention = ContentionView(
            contended, self._now_models, self._theme, self._bar, self._area
        )
        self.contention.set_placeholder(*self._placeholder)
        self._add_head(self.contention.head)
        self.contention_made.emit(self.contention)

    def _make_labels(self, labelled: LabelModel) -> None:
        self.labels = LabelView(labelled, self._theme, self._area)
        self.labels_made.emit(self.labels)

    def _make_source(self, lines: SourceModel) -> None:
        self.source = SourceView(lines, self._theme, self._area)
        self.source_made.emit(self.source)

    def _make_summary(self) -> None:
        self.summary = SummaryView(self._theme, self._area)
        self.summary.set_placeholder(*self._placeholder)
        self.summary_made.emit(self.summary)

    def _make_tree(self) -> None:
        self.tree = CallTreeView(self._theme, self._area)
        self.tree.set_placeholder(*self._placeholder)
        self.tree_made.emit(self.tree)

    def _make_traces(self, traces: TraceModel, stack: StackModel) -> None:
        self.traces = TraceView(traces, stack, self._theme, self._area)
        self.traces.set_placeholder(*self._placeholder)
        self.traces_made.emit(self.traces)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that empty tables show."""
        self._placeholder = (title, text)
        for view in (self.heap, self.contention, self.summary, self.tree, self.traces):
            if view is not None:
                view.set_placeholder(title, text)

    def show_status(self, status: LiveStatus) -> None:
        self._status = status
        if self.heap is not None:
            self.heap.show_status(status)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for view in (
            self.heap,
            self.contention,
            self.source,
            self.labels,
            self.summary,
            self.tree,
            self.traces,
        ):
            if view is not None:
                view.set_theme(theme)
