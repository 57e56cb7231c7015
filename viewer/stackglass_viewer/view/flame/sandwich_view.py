"""Sandwich view: a function between its callers, which grow up, and callees, which grow down."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    Highlight,
    name_of,
)
from stackglass_viewer.presenter.document.sandwich import SandwichScene, details_in, stack_in
from stackglass_viewer.view.flame.menu import FlameMenu
from stackglass_viewer.view.flame.panel import FlamePanel
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.flame.sandwich_bar import SandwichBar
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.theme import Theme

_CALLERS = RowGeometry(is_upward=True, n_hidden=1)  # the first row is the bar in the middle
_CALLEES = RowGeometry(n_hidden=1)
_HALF_PX = 300  # at first; the user may drag the border
_ONE_DEEP = "Only direct callers and callees: this file records calls, not stacks."
_WHY_ONE_DEEP = "The file does not say where the callers were called from."
_LEAST_GRAPH_PX = 60  # least height of each half: three rows


class SandwichView(CompoundWidget):
    """Two flame graphs with the bar between them. Emits the function to choose next."""

    function_requested = Signal(int)  # frame
    search_requested = Signal(str)  # pattern that finds a function and no other
    copy_requested = Signal(str, str)  # text for the clipboard; what it is, a key of COPIED
    details_changed = Signal()  # another box is under the pointer, or is selected
    action_requested = Signal(str, int)  # "source" or "editor"; frame
    step_requested = Signal(int)  # mouse button: -1 = back, 1 = forward

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: SandwichScene | None = None
        self._placeholder = ("", "")  # of no function
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self.callers = FlamePanel(theme, self._splitter, _CALLERS)
        lower = QWidget(self._splitter)
        self.bar = SandwichBar(theme, lower)
        self.callees = FlamePanel(theme, lower, _CALLEES)
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.callees, 1)
        self._splitter.setSizes([_HALF_PX, _HALF_PX])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._splitter, 1)
        self._hint = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._hint.setObjectName("hint")
        self._hint.setContentsMargins(12, 6, 12, 6)
        self._hint.set_text(_ONE_DEEP, _WHY_ONE_DEEP)
        self._hint.hide()
        whole.addWidget(self._hint)
        self.set_entry(self.callees.graph)
        self.callers.graph.setAccessibleName("Callers")
        self.callees.graph.setAccessibleName("Callees")
        for graph in self._graphs:
            graph.setMinimumHeight(_LEAST_GRAPH_PX)
            self._connect(graph)
        self.callers.graph.root_reached.connect(lambda: self._cross_to(self.callees.graph))
        self.callees.graph.root_reached.connect(lambda: self._cross_to(self.callers.graph))

    @property
    def _graphs(self) -> tuple[FlameView, FlameView]:
        return self.callers.graph, self.callees.graph

    def _connect(self, graph: FlameView) -> None:
        graph.node_activated.connect(lambda node: self._request(graph, node))
        graph.sandwich_requested.connect(lambda node: self._request(graph, node))
        graph.source_requested.connect(lambda node: self._act("source", graph, node))
        graph.editor_requested.connect(lambda node: self._act("editor", graph, node))
        graph.menu_requested.connect(lambda node, point: self._on_menu(graph, node, point))
        graph.node_selected.connect(lambda node: self._on_selected(graph, node))
        graph.node_hovered.connect(self.details_changed)
        graph.step_requested.connect(self.step_requested)
        graph.copy_requested.connect(
            lambda node: self.copy_requested.emit(self._find_stack(graph, node), "stack")
        )

    # -- what is shown

    def show_sandwich(self, shown: SandwichScene | None) -> None:
        """Show a function's callers and callees, or nothing if ``shown`` is None.

        If it is the same function with new data, zoom and selection stay.
        """
        old, self._shown = self._shown, shown
        # By its name: in the next profile of a server, functions have other numbers.
        is_same = old is not None and shown is not None and old.name == shown.name
        scenes: tuple[FlameScene | None, FlameScene | None] = (None, None)
        if shown is not None:
            scenes = (shown.callers, shown.callees)
        self._say_what_is_missing()
        self._hint.setVisible(shown is not None and shown.is_one_deep)
        for graph, scene in zip(self._graphs, scenes, strict=True):
            if is_same:
                graph.set_scene(scene)
            else:
                graph.start_over(scene)
        self.bar.show_details(shown.details if shown is not None else None)
        self.details_changed.emit()

    def _say_what_is_missing(self) -> None:
        shown = self._shown
        if shown is None:
            self.callers.graph.set_placeholder("", "")
            self.callees.graph.set_placeholder(*self._placeholder)
            return
        is_empty = not shown.details.total and shown.callees.layout.extent <= 0
        nothing = ("Nothing here", "The function has no samples in the data shown.")
        for graph, title in zip(self._graphs, ("No callers", "No callees"), strict=True):
            graph.set_placeholder(*(nothing if is_empty else (title, "")))

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that are shown while no function is chosen."""
        self._placeholder = (title, text)
        self._say_what_is_missing()

    def set_highlight(self, highlight: Highlight) -> None:
        for graph in self._graphs:
            graph.set_highlight(highlight)

    def set_theme(self, theme: Theme) -> None:
        self.bar.set_theme(theme)
        self.callers.set_theme(theme)
        self.callees.set_theme(theme)

    def find_details(self) -> FrameDetails | None:
        """Return details of the box under the pointer, else of the selected box, else of the
        function."""
        if self._shown is None:
            return None
        for nodes in ((g.hovered for g in self._graphs), (g.selected for g in self._graphs)):
            for graph, node in zip(self._graphs, nodes, strict=True):
                if node > 0:
                    return details_in(self._shown, node, graph is self.callers.graph)
        return self._shown.details

    @property
    def is_zoomed(self) -> bool:
        """Whether either half shows only a part of its graph."""
        return any(graph.camera.is_zoomed for graph in self._graphs)

    def reset_zoom(self) -> None:
        for graph in self._graphs:
            graph.camera.reset_zoom()

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether there was one."""
        was_selected = any(graph.selected >= 0 for graph in self._graphs)
        for graph in self._graphs:
            graph.select(-1)
        self.details_changed.emit()
        return was_selected

    # -- the user's actions

    def _request(self, graph: FlameView, node: int) -> None:
        if graph.scene is not None and node > 0:
            self.function_requested.emit(int(graph.scene.tree.frame[node]))

    def _act(self, name: str, graph: FlameView, node: int) -> None:
        if graph.scene is not None and node > 0:
            self.action_requested.emit(name, int(graph.scene.tree.frame[node]))

    def _on_selected(self, graph: FlameView, node: int) -> None:
        """Clear the selection of the other half: only one box is selected at a time."""
        for other in self._graphs:
            if other is not graph and node >= 0:
                other.select(-1)
        self.details_changed.emit()

    def _cross_to(self, graph: FlameView) -> None:
        """Move the focus to ``graph``, after an arrow key passed the function in the middle."""
        if graph.camera.content_px():
            graph.setFocus()
            graph.enter()

    def _find_stack(self, graph: FlameView, node: int) -> str:
        shown, is_caller = self._shown, graph is self.callers.graph
        return stack_in(shown, node, is_caller) if shown is not None else ""

    def _name(self, graph: FlameView, node: int) -> str:
        return name_of(graph.scene, node) if graph.scene is not None else ""

    def _on_menu(self, graph: FlameView, node: int, point: QPoint) -> None:
        if node <= 0:
            return
        menu = FlameMenu(node, graph, stack=self._find_stack(graph, node))
        menu.copy_requested.connect(self.copy_requested)
        menu.zoom_requested.connect(graph.camera.zoom_to)
        menu.sandwich_requested.connect(lambda node: self._request(graph, node))
        menu.source_requested.connect(lambda node: self._act("source", graph, node))
        menu.editor_requested.connect(lambda node: self._act("editor", graph, node))
        menu.reset_requested.connect(self.reset_zoom)
        menu.search_requested.connect(
            lambda node: self.search_requested.emit(exact_pattern(self._name(graph, node)))
        )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(point)
