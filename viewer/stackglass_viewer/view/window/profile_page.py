"""One tab: bars above, graph and table in the middle, details and status below."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight, details_of
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.presenter.document.sandwich import SandwichScene
from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, LiveStatus, Notice
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.capture.status_line import StatusLine
from stackglass_viewer.view.contention.bar import ContentionBar
from stackglass_viewer.view.flame.details_bar import DetailsBar
from stackglass_viewer.view.flame.menu import FlameMenu
from stackglass_viewer.view.flame.panel import FlamePanel
from stackglass_viewer.view.flame.sandwich_view import SandwichView
from stackglass_viewer.view.heap.bar import HeapBar
from stackglass_viewer.view.tables.top_view import TopView
from stackglass_viewer.view.timeline.panel import TimelinePanel
from stackglass_viewer.view.widgets.message_bar import MessageBar
from stackglass_viewer.view.widgets.tab_order import order_tabs
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.profile_bar import ProfileBar
from stackglass_viewer.view.window.table_views import TABLE_ENTRIES, TableViews

_GRAPH_PX, _TABLE_PX = 700, 580  # at first; the user may drag the border


class ProfilePage(QWidget):
    """Lays out the widgets of a profile and lets them speak to each other; knows no profile. What
    it shows first is for ``show_view`` to say."""

    type_chosen = Signal(int)  # entry of the list
    view_chosen = Signal(str)  # flame, both, top, sandwich, heap, contention
    copy_requested = Signal(str)  # text for the clipboard
    stack_requested = Signal(int)  # node whose stack is to be copied
    name_requested = Signal(int)  # node whose name is to be copied
    search_requested = Signal(int)  # node whose name is to be searched for
    sandwich_requested = Signal(int)  # node whose function's callers and callees are wanted
    function_requested = Signal(int)  # function whose callers and callees are wanted
    step_requested = Signal(int)  # among the chosen functions: -1 = back, 1 = forward
    timeline_toggled = Signal(bool)  # shown or not
    marker_requested = Signal(str)  # a or b, where the pointer is on the timeline

    # Made by ``furnish``.
    top: TopView
    heap_bar: HeapBar
    contention_bar: ContentionBar
    tables: TableViews
    _details: DetailsBar

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # Everything is made with its parent: a widget that gets one later is styled all over again.
        self._bar = ProfileBar(theme, self)
        self.search = self._bar.search
        self.message = MessageBar(theme, self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.flame = FlamePanel(theme, self._splitter)
        self._theme = theme
        self._placeholder = ("Nothing here", "")
        self._highlight = Highlight()
        self._may_go = (False, False)  # back, forward among the chosen functions
        self._has_stacks = True  # until we know better
        self._view = "flame"
        self.sandwich: SandwichView | None = None  # made when it is first looked at
        self.live_bar: LiveBar | None = None
        self.status_line: StatusLine | None = None
        self.timeline: TimelinePanel | None = None

    def furnish(self, top: TopModel, memory: HeapModel) -> None:
        """The tables and what is around; an incremental step of its own, before anything else is
        asked of the page."""
        theme = self._theme
        self.top = TopView(top, theme, self._splitter)
        self.tables = TableViews(memory, theme, self._place_table, self)
        self.heap_bar = HeapBar(theme, self)
        self.heap_bar.hide()
        self.contention_bar = ContentionBar(theme, self)
        self.contention_bar.hide()
        self.contention_bar.filled.connect(self._order_tabs)
        self.tables.contention_made.connect(lambda _: self._order_tabs())
        self._details = DetailsBar(self)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._splitter.setSizes([_GRAPH_PX, _TABLE_PX])
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar)
        column.addWidget(self.heap_bar)
        column.addWidget(self.contention_bar)
        column.addWidget(self.message)
        column.addWidget(self._splitter, 1)
        column.addWidget(self._details)
        self._connect()

    def _place_table(self, view: QWidget) -> None:
        self._column.insertWidget(self._column.indexOf(self._splitter), view, 1)

    def add_live_controls(self, threads: ThreadModel, theme: Theme) -> tuple[LiveBar, StatusLine]:
        """The bar and the line of a capture; not made with the page, which is work enough."""
        bar, line = LiveBar(threads, theme, self), StatusLine(self)
        self.timeline = TimelinePanel(theme, self)
        self.timeline.hide()
        self._column.insertWidget(0, bar)
        self._column.insertWidget(1, self.timeline)
        self._column.addWidget(line)
        self.live_bar, self.status_line = bar, line
        bar.timeline_toggled.connect(self.show_timeline)
        return bar, line

    def _connect(self) -> None:
        graph = self.flame.graph
        self._bar.view_chosen.connect(self.show_view)
        self._bar.type_chosen.connect(self._on_type_chosen)
        self._bar.step_requested.connect(self.go)
        self._bar.reset_requested.connect(lambda: (self._cut or self.flame.graph).reset_zoom())
        graph.view_changed.connect(self._show_history)
        graph.node_hovered.connect(self._show_details)
        graph.node_selected.connect(self._show_details)
        graph.node_activated.connect(graph.zoom_to)
        graph.sandwich_requested.connect(self.sandwich_requested)
        graph.menu_requested.connect(self._on_menu)
        graph.copy_requested.connect(self.stack_requested)
        graph.escape_pressed.connect(self._on_escape)
        self.search.left.connect(lambda: (self._cut or graph).setFocus())

    # -- what is shown

    @property
    def view(self) -> str:
        return self._view

    @property
    def _cut(self) -> SandwichView | None:
        """The sandwich, while it is what one looks at."""
        return self.sandwich if self._view == "sandwich" else None

    def show_view(self, name: str) -> None:
        """``flame``, ``both``, ``top``, ``sandwich``; ``heap`` or ``contention`` where there is."""
        self._show_view(name)
        self._focus_view()
        self.view_chosen.emit(self._view)

    def _focus_view(self) -> None:
        """Keys go to what is looked at now, not to the next control that happens to be there."""
        looked_at: dict[str, QWidget | None] = {
            "flame": self.flame.graph,
            "both": self.flame.graph,
            "sandwich": self.sandwich,
            "heap": self.tables.heap,
            "contention": self.tables.contention,
        }
        widget = looked_at.get(self._view)
        if widget is not None and self.isVisible():
            widget.setFocus()

    def _show_view(self, name: str) -> None:
        if not self.tables.has(name):
            name = "flame"
        if name == "sandwich" and not self._has_stacks:
            name = "top"
        self._view = name
        self._bar.show_view(name)
        self._splitter.setVisible(name not in TABLE_ENTRIES)
        self.flame.setVisible(name in ("flame", "both"))
        self._details.setVisible(name in ("flame", "both", "sandwich"))
        self.top.setVisible(name in ("both", "top", "sandwich"))
        if name == "sandwich" and self.sandwich is None:
            self._make_sandwich_view()
        if self.sandwich is not None:
            self.sandwich.setVisible(name == "sandwich")
        self.tables.show(name)
        self._show_tools()
        self._show_history()
        self._show_details()

    def _show_tools(self) -> None:
        self._bar.show_tools(self._has_stacks and self._view not in TABLE_ENTRIES)

    def _make_sandwich_view(self) -> None:
        view = self.sandwich = SandwichView(self._theme, self._splitter)
        self._splitter.setStretchFactor(2, 3)
        self._splitter.setSizes([_GRAPH_PX, _TABLE_PX, _GRAPH_PX])
        view.set_highlight(self._highlight)
        view.set_placeholder(*self._placeholder)
        view.function_requested.connect(self.function_requested)
        view.search_requested.connect(self.search.set_pattern)
        view.copy_requested.connect(self.copy_requested)
        view.details_changed.connect(self._show_details)
        view.escape_pressed.connect(self._on_escape)

    def show_timeline(self, is_shown: bool) -> None:
        """A process's memory over time, above the graph."""
        if self.timeline is None or self.live_bar is None:
            return
        self.timeline.setVisible(is_shown)
        self.live_bar.set_timeline(is_shown)
        self.timeline_toggled.emit(is_shown)

    def put_marker(self, marker: str) -> None:
        """Compare with the moment under the pointer, or with this one."""
        if self.timeline is not None:
            if self.timeline.isHidden():
                self.show_timeline(True)
            self.marker_requested.emit(marker)

    def show_info(self, info: DocumentInfo) -> None:
        self._bar.show_info(info)
        self._has_stacks = info.has_stacks
        self._bar.offer_view("sandwich", info.has_stacks)
        self._show_tools()
        for view, is_there in self.tables.take_info(info).items():
            self._bar.offer_view(view, is_there)
        self.heap_bar.setVisible(info.choice.heap is not None)
        self.contention_bar.setVisible(info.choice.contention is not None)
        if not self.tables.has(self._view):
            self._show_view("flame")

    def _on_type_chosen(self, entry: int) -> None:
        """A table of one type does not show another. Only the user's choice leads out of it: a
        refresh that began before may yet bring another type."""
        wanted = TABLE_ENTRIES.get(self._view)
        if wanted is not None and self._bar.name_type(entry) != wanted:
            self.show_view("flame")
        self.type_chosen.emit(entry)

    def set_placeholder(self, title: str, text: str) -> None:
        """What stands in the place of a graph that is empty, and beside an empty table."""
        self.flame.graph.set_placeholder(title, text)
        self._placeholder = (title, text)
        if self.sandwich is not None:
            self.sandwich.set_placeholder(title, text)
        self.tables.set_placeholder(title, text)

    def show_contention_state(self, state: ContentionBarState | None) -> None:
        """None: something else than contention is looked at."""
        if state is not None:
            self.contention_bar.show_state(state)

    def _order_tabs(self) -> None:
        """What is made when it is looked at would come last."""
        order_tabs(self.live_bar, self._bar, self.contention_bar, self.tables.contention)

    def show_heap_state(self, state: HeapBarState | None) -> None:
        """None: something else than the heap is looked at."""
        if state is not None:
            self.heap_bar.show_state(state)
        if self.live_bar is not None:
            self.live_bar.show_heap_state(state)

    def show_scene(self, scene: FlameScene | None) -> None:
        self.flame.graph.set_scene(scene)
        self._show_details()

    def show_sandwich(self, shown: SandwichScene | None) -> None:
        """None: no function is chosen, or the sandwich is not shown."""
        if self.sandwich is not None:
            self.sandwich.show_sandwich(shown)

    def set_highlight(self, highlight: Highlight) -> None:
        """Which functions stand out, in every graph."""
        self._highlight = highlight
        self.flame.graph.set_highlight(highlight)
        if self.sandwich is not None:
            self.sandwich.set_highlight(highlight)

    def show_function_history(self, may_go_back: bool, may_go_forward: bool) -> None:
        """Whether there are chosen functions to go back to, and forward."""
        self._may_go = (may_go_back, may_go_forward)
        self._show_history()

    def show_status(self, status: LiveStatus) -> None:
        self.tables.show_status(status)
        if self.live_bar is not None and self.status_line is not None:
            self.live_bar.show_status(status)
            self.status_line.show_status(status)

    def show_notice(self, notice: Notice | None) -> None:
        self.message.show_notice(notice)

    def set_theme(self, theme: Theme) -> None:
        self._bar.set_theme(theme)
        self.flame.set_theme(theme)
        self.top.set_theme(theme)
        self.message.set_theme(theme)
        self.heap_bar.set_theme(theme)
        self.contention_bar.set_theme(theme)
        self._theme = theme
        if self.sandwich is not None:
            self.sandwich.set_theme(theme)
        self.tables.set_theme(theme)
        if self.live_bar is not None:
            self.live_bar.set_theme(theme)
        if self.timeline is not None:
            self.timeline.set_theme(theme)

    def focus_search(self) -> None:
        """Where Ctrl+F leads: the graph's search, or the table's filter where it is alone."""
        if self._view in TABLE_ENTRIES:
            self.show_view("flame")
        if self._view == "top":
            self.top.focus_filter()
        else:
            self.search.focus()

    # -- between the widgets

    def _on_escape(self) -> None:
        """One thing after the other: the selection, the search, the zoom, the message."""
        graph = self.flame.graph
        if self._cut is not None and self._cut.clear_selection():
            return
        if graph.selected >= 0 and self._cut is None:
            graph.select(-1)
            graph.node_selected.emit(-1)
        elif self.search.pattern:
            self.search.set_pattern("")
        elif self._cut is not None:
            self._cut.reset_zoom()
        elif graph.navigation.view != View():
            graph.reset_zoom()
        else:
            self.message.show_notice(None)

    def go(self, step: int) -> None:
        """-1: back to where one looked before, or to the function chosen before; 1: forward."""
        graph = self.flame.graph
        if self._view == "sandwich":
            self.step_requested.emit(step)
        else:
            (graph.go_back if step < 0 else graph.go_forward)()

    def _show_history(self) -> None:
        navigation = self.flame.graph.navigation
        may_go = (navigation.has_back, navigation.has_forward)
        self._bar.show_history(*(self._may_go if self._view == "sandwich" else may_go))

    def _show_details(self) -> None:
        graph = self.flame.graph
        scene = graph.scene
        if self._cut is not None:
            self._details.show_details(self._cut.find_details())
            return
        if scene is None or scene.whole <= 0:
            self._details.show_details(None)
            return
        node = graph.hovered if graph.hovered >= 0 else max(0, graph.selected)
        self._details.show_details(details_of(scene, node))

    def _on_menu(self, node: int, place: QPoint) -> None:
        menu = FlameMenu(node, self)
        menu.zoom_requested.connect(self.flame.graph.zoom_to)
        menu.reset_requested.connect(self.flame.graph.reset_zoom)
        menu.name_requested.connect(self.name_requested)
        menu.stack_requested.connect(self.stack_requested)
        menu.search_requested.connect(self.search_requested)
        menu.sandwich_requested.connect(self.sandwich_requested)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)
