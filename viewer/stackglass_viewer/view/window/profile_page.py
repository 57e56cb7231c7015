"""Profile page: the page of one tab, with bars above, views in the middle and details below."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_layout import DETAILS
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, LiveStatus
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.view.capture.group_bar import GroupBar
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.capture.remote_bar import RemoteBar
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.flame.compare_bar import CompareBar
from stackglass_viewer.view.flame.details_bar import DetailsBar
from stackglass_viewer.view.flame.menu import FlameMenu
from stackglass_viewer.view.flame.sandwich_view import SandwichView
from stackglass_viewer.view.flame.transform_bar import TransformBar
from stackglass_viewer.view.labels.bar import LabelBar
from stackglass_viewer.view.labels.legend_bar import LegendBar
from stackglass_viewer.view.labels.view import LabelView
from stackglass_viewer.view.lanes.span_bar import SpanBar
from stackglass_viewer.view.traces.view import TraceView
from stackglass_viewer.view.widgets.message_bar import MessageBar
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.view_rail import ViewRail
from stackglass_viewer.view.window.chosen_bars import ChosenBars
from stackglass_viewer.view.window.graph_views import GraphViews
from stackglass_viewer.view.window.live_controls import LiveControls
from stackglass_viewer.view.window.panes import LATE_VIEWS, Panes, Views
from stackglass_viewer.view.window.profile_bar import ProfileBar
from stackglass_viewer.view.window.step_back import step_back
from stackglass_viewer.view.window.table_views import TABLE_ENTRIES, TABLE_VIEWS, TableViews
from stackglass_viewer.view.window.view_area import ViewArea

if TYPE_CHECKING:  # for start-up time: it imports all views of memory traces
    from stackglass_viewer.view.memory_trace.views import TraceViews

_GRAPHS = frozenset(("flame", "sandwich", "graph", "time"))

_Bar = TypeVar("_Bar", RemoteBar, GroupBar, CompareBar, "TraceViews")


class ProfilePage(QWidget):
    """Makes the widgets of a tab, lays them out, and connects them to each other.
    Call ``show_view`` to choose the first view."""

    type_chosen = Signal(int)  # entry of the list
    view_chosen = Signal(str)  # flame, both, top, sandwich, graph, time, or one of TABLE_VIEWS
    views_changed = Signal(object)  # frozenset of the names of the visible views
    native_chosen = Signal(str)  # one of NATIVE_LEVELS
    missing_changed = Signal()
    copy_requested = Signal(str, str)  # text for the clipboard; what it is, a key of COPIED
    stack_requested = Signal(int)  # node: copy its stack
    search_requested = Signal(int)  # node: search for its name
    sandwich_requested = Signal(int)  # node: show its function's callers and callees
    source_requested = Signal(int)  # node: show its function's source
    editor_requested = Signal(int)  # node: open its function in the editor
    transform_requested = Signal(str, int)  # TransformKind's value; node
    path_requested = Signal(str)  # call path: show only its subtree
    function_requested = Signal(int)  # function: show its callers and callees
    step_requested = Signal(int)  # -1 = back, 1 = forward in the history

    def __init__(
        self, top: TopModel, memory: HeapModel, theme: Theme, *, is_whole: bool = True
    ) -> None:
        """``top``: model of the functions. ``memory``: model of the heap's sites.
        ``is_whole``: make the whole page now; if not, the caller must exhaust ``parts`` before it
        uses the page."""
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.live: LiveControls | None = None  # if the page shows a process
        self.remote: RemoteBar | None = None  # if the page shows a server
        self.group: GroupBar | None = None  # if the page shows several processes
        self._bars: list[RemoteBar | GroupBar | CompareBar | TraceViews] = []
        self.trace: TraceViews | None = None  # if the page shows a memory trace
        self._theme = theme
        self._awaited = ""  # a chosen view without data, to be shown when data for it come
        self._own_table = ""  # table of the sample type, heap or contention; "" = none
        self._missing: frozenset[str] = frozenset()  # as last announced
        self._entry = -1  # entry of the shown type in the list of types
        self._is_type_due = False  # whether a chosen type is not shown yet
        self._has_transforms = False  # until show_info is called
        self._has_stacks = self._has_graph = True  # until show_info is called
        self.parts = self._make_parts(top, memory, theme)
        while is_whole and next(self.parts, False):
            pass

    def _make_parts(self, top: TopModel, memory: HeapModel, theme: Theme) -> Iterator[bool]:
        """Make the page's widgets in several steps, since a single one would take too long. Each
        widget is made with its parent, since Qt styles it again if it gets a parent later."""
        self._bar = ProfileBar(theme, self)
        self.search, self.types = self._bar.search, self._bar.types
        self.heap_bar, self.contention_bar = self._bar.heap, self._bar.contention
        yield True
        self._rail = ViewRail(self)
        self._rail.set_theme(theme)
        self.layout_choice = LayoutChoice(self)
        self.area = ViewArea(theme, self)
        yield True
        self.graphs = GraphViews(top, theme, self.area)
        self.flame, self.top = self.graphs.flame, self.graphs.top
        yield True
        self.message = MessageBar(theme, self)
        self.tables = TableViews(memory, theme, self._bar.add_head, self._bar, self.area)
        parts = (self.layout_choice, self.area, self._rail, Views(self.graphs, self.tables))
        self._panes = Panes(*parts, lambda: self.missing)
        self._chosen = ChosenBars(self)
        self.label_bar = LabelBar(theme, self._chosen)
        self.legend = LegendBar(self)
        yield True
        self.span_bar = SpanBar(theme, self._chosen)
        self.transform_bar = TransformBar(theme, self._chosen)
        self._details = DetailsBar(self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._rows = QVBoxLayout(self)  # of the whole page
        middle = QHBoxLayout()
        column = QVBoxLayout()
        for layout in (self._rows, middle, column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self._rows.addLayout(middle, 1)
        middle.addWidget(self._rail)
        middle.addLayout(column, 1)
        column.addWidget(self._bar)
        column.addWidget(self.area, 1)
        # Bars that appear later are below the views, so that nothing moves under the pointer.
        for bar in (self.span_bar, self.transform_bar, self.label_bar):
            self._chosen.add(bar)
        for below in (self.legend, self._chosen, self.message, self._details):
            column.addWidget(below)

    def add_live_controls(self, threads: ThreadModel, bar: LiveBar | None = None) -> LiveControls:
        """Add the controls of a capture, and return them. ``bar``: their bar, if made before."""
        self.live = LiveControls(threads, self._theme, self, self._rows, bar)
        self._chosen.add(self.live.thread_bar, 1)  # after the span
        return self.live

    def add_bar(self, make: Callable[[Theme, QWidget], _Bar]) -> _Bar:
        """Add the top bar of a watched server, several processes, a comparison or a memory trace.
        ``make``: makes the bar, or the views of a trace. Returns what it made."""
        made = make(self._theme, self)
        self._bars.append(made)
        self._rows.insertWidget(0, made if isinstance(made, QWidget) else made.bar)
        if isinstance(made, RemoteBar):
            self.remote = made
        elif isinstance(made, GroupBar):
            self.group = made
        elif not isinstance(made, CompareBar):
            self.trace = made
            self._announce_missing()
            self._panes.add_trace(made)
        return made

    def _connect(self) -> None:
        self._rail.chosen.connect(self.show_view)
        self.layout_choice.changed.connect(self._show_layout)
        self._panes.focus_wanted.connect(self.focus_view)
        self._bar.type_chosen.connect(self._on_type_chosen)
        self._bar.step_requested.connect(self.step_requested)
        self._bar.show_history(False, False)
        self._bar.reset_requested.connect(self.graphs.reset_zoom)
        self._bar.native_chosen.connect(self.native_chosen)
        self.graphs.details_changed.connect(self._show_details)
        self.graphs.sandwich_made.connect(self._connect_sandwich)
        graph = self.flame.graph
        graph.step_requested.connect(self.step_requested)
        graph.node_activated.connect(graph.camera.zoom_to)
        graph.sandwich_requested.connect(self.sandwich_requested)
        graph.source_requested.connect(self.source_requested)
        graph.editor_requested.connect(self.editor_requested)
        graph.menu_requested.connect(self._on_menu)
        graph.copy_requested.connect(self.stack_requested)

    def _connect_sandwich(self, view: SandwichView) -> None:
        view.function_requested.connect(self.function_requested)
        view.step_requested.connect(self.step_requested)
        view.search_requested.connect(self.search.set_pattern)
        view.copy_requested.connect(self.copy_requested)

    # -- the chosen view

    @property
    def view(self) -> str:
        """The chosen view; of views that the user has put side by side, the focused one."""
        return self.layout_choice.shown.view

    @property
    def missing(self) -> frozenset[str]:
        """Names of the views without data. ``show_view`` accepts them, since data may come later.
        While a chosen type is not shown yet, ``LATE_VIEWS`` do not count as missing."""
        has = {
            DETAILS: bool(self._own_table),
            "both": self._has_stacks,  # the flame graph alone says why there are none
            "sandwich": self._has_graph,
            "graph": self._has_graph,
            **{name: self._is_type_due or self.tables.has(name) for name in LATE_VIEWS},
            **dict.fromkeys(TRACE_VIEWS, self.trace is not None),
        }
        return frozenset(name for name, is_there in has.items() if not is_there)

    def show_view(self, name: str) -> None:
        """Show and focus a view, named as in ``view_chosen``. ``DETAILS`` is the table of the
        sample type, heap or contention; without one, nothing changes."""
        if name == DETAILS:
            name = self._own_table
            if not name:
                return
        self.message.show_answer(None)
        self._show_view(name)
        self.focus_view()
        self.view_chosen.emit(self.view)

    def focus_view(self) -> None:
        """Give the keyboard focus to the focused view of the layout."""
        if self.isVisible():
            focused = self.layout_choice.shown.focused
            traced = self.trace.widgets.get(focused) if self.trace is not None else None
            (traced or self.tables.find(focused) or self.graphs.focus_target).setFocus()

    def _show_view(self, name: str) -> None:
        self._awaited = ""
        if not self.tables.has(name):
            self._awaited, name = name, "flame"
        if name in self.missing & {"both", "sandwich", "graph"}:
            name = "top"
        if self.layout_choice.is_arranged and name in TABLE_ENTRIES:
            self._take_own_table(name)
        self.layout_choice.choose(name)

    def _show_layout(self) -> None:
        views = frozenset(self.layout_choice.shown.views)
        self._details.setVisible(not _GRAPHS.isdisjoint(views))
        self.legend.set_wanted(not views.isdisjoint(("flame", "time")))
        self._panes.show(self._own_table)
        self._show_tools()
        self._show_details()
        self.views_changed.emit(views)

    def _show_tools(self) -> None:
        """Show tools and search if a visible view needs them. If the focused view is the table of
        the sample type, only that view counts, since its head takes their place."""
        views = {self.view} if self.view in TABLE_ENTRIES else set(self.layout_choice.shown.views)
        views.difference_update(TRACE_VIEWS)
        has_tools = self._has_stacks or not views.isdisjoint(("graph", "sandwich"))
        is_graph = not views <= set(TABLE_VIEWS)
        self._bar.show_tools(has_tools and is_graph)
        self._bar.show_search(has_tools and (is_graph or "tree" in views))

    def _on_type_chosen(self, entry: int) -> None:
        """Show another sample type in the same view. The table of the new type, or the function
        table, replaces a table of the old type. They change when the user chooses, not when data
        come, since a refresh that began earlier may still bring the old type."""
        self.message.show_answer(None)
        wanted, chosen = TABLE_ENTRIES.get(self.view), self._bar.name_type(entry)
        own = next((view for view, its_entry in TABLE_ENTRIES.items() if its_entry == chosen), "")
        if wanted is not None and chosen != wanted and not self.layout_choice.is_arranged:
            self.show_view(own or "top")
        if entry != self._entry:  # keys pressed from now on are for the new type
            self._is_type_due = True
            self._take_own_table(own)
            self._announce_missing()
        self.type_chosen.emit(entry)

    def _take_own_table(self, view: str) -> None:
        """Set the table of the sample type, ``heap`` or ``contention``; "" = none."""
        self._own_table = view
        self.layout_choice.set_available_views(self._own_table, self.missing)
        if self.view not in TABLE_ENTRIES:
            self._panes.press(view)

    def _announce_missing(self) -> None:
        self.layout_choice.set_available_views(self._own_table, self.missing)
        if self.missing != self._missing:
            self._missing = self.missing
            self.missing_changed.emit()

    # -- what is shown

    def show_info(self, info: DocumentInfo) -> None:
        self._bar.show_info(info)
        self._entry, self._is_type_due = info.choice.entry, False
        self._has_stacks = info.has_stacks
        self._has_graph = info.has_stacks or info.has_calls
        self._has_transforms = info.can_filter
        self.graphs.offer_transforms(info.can_filter)
        self._show_tools()
        self._panes.offer_views(info, self.tables.take_info(info))
        self.label_bar.set_applies(info.has_labels, info.idle_keys, info.is_live and info.can_split)
        shown = (("heap", info.choice.heap), ("contention", info.choice.contention))
        self._take_own_table(next((view for view, choice in shown if choice is not None), ""))
        if not self.tables.has(self.view):
            self._show_view(self.view)  # the graph, until data for it come
            self.focus_view()
        elif self._awaited and self.tables.has(self._awaited):
            self.show_view(self._awaited)
        self._announce_missing()

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that empty graphs and tables show."""
        self.graphs.set_placeholder(title, text)
        self.tables.set_placeholder(title, text)

    def show_contention_state(self, state: ContentionBarState | None) -> None:
        """Show the state of contention; None = contention is not shown."""
        if state is not None:
            self.contention_bar.show_state(state)
            self._bar.show_figures(state.figures, state.figures_about)

    def show_heap_state(self, state: HeapBarState | None) -> None:
        """Show the state of the heap; None = the heap is not shown."""
        if state is not None:
            self.heap_bar.show_state(state)
            self._bar.show_figures(state.figures, state.figures_about)
        if self.live is not None:
            self.live.show_heap_state(state)

    def show_status(self, status: LiveStatus) -> None:
        self.tables.show_status(status)
        if self.live is not None:
            self.live.show_status(status)

    def show_history(self, may_go_back: bool, may_go_forward: bool) -> None:
        """Enable the buttons for back and forward."""
        self._bar.show_history(may_go_back, may_go_forward)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        bars = (self._bar, self.message, self.label_bar, self.span_bar, self.transform_bar)
        for part in (*bars, self._rail, self.area, self.graphs, self.tables):
            part.set_theme(theme)
        for late in (self.live, *self._bars):
            if late is not None:
                late.set_theme(theme)

    def _show_details(self) -> None:
        if not self._details.isHidden():
            self._details.show_details(self.graphs.find_details())

    # -- keys and menus

    def focus_search(self) -> None:
        """Focus the search of the graphs and the tree, or the search field of the shown table."""
        table = self.tables.find(self.view)
        if isinstance(table, (LabelView, TraceView)):
            table.focus_search()
        elif isinstance(table, ContentionView) and table.focus_search():
            return
        elif self.view == "top":
            self.top.focus_filter()
        else:
            if self.view in TABLE_VIEWS and self.view != "tree":
                self.show_view("flame")
            if not self.search.isHidden():
                self.search.focus()
            else:  # a file without stacks has no graph to search
                self.show_view("top")
                self.top.focus_filter()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take a step back at Esc, if no widget in the page has handled the key."""
        if event.key() == Qt.Key.Key_Escape:
            if not self.area.cancel_drag():
                step_back(self)
        else:
            super().keyPressEvent(event)

    def _on_menu(self, node: int, point: QPoint) -> None:
        menu = FlameMenu(node, self.flame.graph, self._has_transforms)
        menu.transform_requested.connect(self.transform_requested)
        menu.path_requested.connect(self.path_requested)
        menu.copy_requested.connect(self.copy_requested)
        menu.zoom_requested.connect(self.graphs.camera.zoom_to)
        menu.reset_requested.connect(self.graphs.camera.reset_zoom)
        menu.search_requested.connect(self.search_requested)
        menu.sandwich_requested.connect(self.sandwich_requested)
        menu.source_requested.connect(self.source_requested)
        menu.editor_requested.connect(self.editor_requested)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(point)
