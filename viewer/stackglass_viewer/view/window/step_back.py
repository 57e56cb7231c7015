"""Step back: what Esc does in a tab. It focuses the view, or undoes one thing there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.view.contention.bar import ContentionBar
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.flame.transform_bar import TransformBar
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.graph.view import CallGraphView
from stackglass_viewer.view.labels.bar import LabelBar
from stackglass_viewer.view.labels.view import LabelView
from stackglass_viewer.view.lanes.heat_view import HeatView
from stackglass_viewer.view.lanes.span_bar import SpanBar
from stackglass_viewer.view.lanes.view import LanesView
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.tables.painted_table import PaintedTable
from stackglass_viewer.view.tables.top_view import TopView
from stackglass_viewer.view.traces.view import TraceView
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.message_bar import MessageBar
from stackglass_viewer.view.widgets.search_bar import SearchBar
from stackglass_viewer.view.window.graph_views import GraphViews
from stackglass_viewer.view.window.live_controls import LiveControls
from stackglass_viewer.view.window.table_views import TABLE_VIEWS, TableViews

if TYPE_CHECKING:  # for start-up time: it imports all views of memory traces
    from stackglass_viewer.view.memory_trace.views import TraceViews

_VIEWS = (FlameView, CallGraphView, LanesView, HeatView, PaintedTable, LazyTable, CallTreeView)


class _Page(Protocol):
    """The parts of a profile page that ``step_back`` uses."""

    contention_bar: ContentionBar
    graphs: GraphViews
    label_bar: LabelBar
    layout_choice: LayoutChoice
    live: LiveControls | None
    message: MessageBar
    search: SearchBar
    span_bar: SpanBar
    tables: TableViews
    top: TopView
    trace: TraceViews | None
    transform_bar: TransformBar

    @property
    def view(self) -> str: ...
    def focus_view(self) -> None: ...
    def window(self) -> QWidget: ...


def step_back(page: _Page) -> None:
    """Take one step, the first of these that has an effect:

    focus the view, if a control has the focus; clear a selection that can be seen; drop a
    filter or the search of a table; clear the search of the graphs; reset the zoom; dismiss the
    message.
    """
    focused = page.window().focusWidget()
    if focused is not None and not isinstance(focused, _VIEWS) and not _has_keys(page, focused):
        page.focus_view()
        return
    for undo in (_clear_selection, _drop_filters, _clear_search, _reset_zoom):
        if undo(page):
            return
    page.message.dismiss()


def _has_keys(page: _Page, focused: QWidget) -> bool:
    """Whether ``focused`` is the focused view of a memory trace, or its entry."""
    if page.trace is None or page.layout_choice.shown.focused not in page.trace.widgets:
        return False
    widget = page.trace.widgets[page.layout_choice.shown.focused]
    return focused in (widget, widget.entry if isinstance(widget, CompoundWidget) else None)


def _clear_selection(page: _Page) -> bool:
    return (page.tables.find(page.view) or page.graphs).clear_selection()


def _drop_filters(page: _Page) -> bool:
    table = page.tables.find(page.view)
    if isinstance(table, (ContentionView, LabelView, TraceView)) and table.clear_search():
        return True
    if page.view == "contention" and page.contention_bar.has_filters:
        page.contention_bar.filters_dropped.emit()
        return True
    if page.top.isVisible() and page.top.clear_filter():
        return True
    if page.span_bar.has_span:
        page.span_bar.dropped.emit()
        return True
    if page.live is not None and page.live.thread_bar.has_filter:
        page.live.thread_bar.dropped.emit()
        return True
    if page.label_bar.has_filters:
        page.label_bar.all_dropped.emit()
        return True
    if page.transform_bar.has_filters:
        page.transform_bar.undo_requested.emit()
        return True
    return False


def _clear_search(page: _Page) -> bool:
    is_searched = page.view not in TABLE_VIEWS or page.view == "tree"
    if not is_searched or not page.search.pattern:
        return False
    page.search.set_pattern("")
    return True


def _reset_zoom(page: _Page) -> bool:
    if page.view in TABLE_VIEWS or not page.graphs.is_zoomed:
        return False
    page.graphs.reset_zoom()
    return True
