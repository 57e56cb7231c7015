"""Graph area of a tab: flame graph, function table, sandwich, call graph, and what was when."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    Highlight,
    details_of,
)
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.presenter.document.sandwich import SandwichScene
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.view.flame.camera import Camera
from stackglass_viewer.view.flame.panel import FlamePanel
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.flame.sandwich_view import SandwichView
from stackglass_viewer.view.graph.panel import CallGraphPanel
from stackglass_viewer.view.graph.view import CallGraphView
from stackglass_viewer.view.lanes.panel import TimePanel
from stackglass_viewer.view.tables.top_view import TopView
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.table_border import TableBorder

_GRAPH_PX, _TABLE_PX = 700, 580  # at first; the user may drag the border

_WITH_TABLE = ("both", "sandwich")


class GraphArea(QSplitter):
    """Shows one or two of its parts, as the view says. Sandwich, call graph and times are made when
    they are shown."""

    sandwich_made = Signal(object)  # SandwichView
    call_graph_made = Signal(object)  # CallGraphPanel
    times_made = Signal(object)  # TimePanel
    details_changed = Signal()  # another box is under the pointer, or is selected

    def __init__(self, top: TopModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.flame = FlamePanel(theme, self)
        self.flame.add_minimap()
        self.top = TopView(top, theme, self)
        self.sandwich: SandwichView | None = None
        self.call_graph: CallGraphPanel | None = None
        self.times: TimePanel | None = None
        self._theme = theme
        self._view = "flame"
        self._placeholder = ("Nothing here", "")
        self._highlight = Highlight()
        self._has_short_names = False
        self._awaited_zoom: View | None = None  # of the scene that comes next
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 2)
        self.setSizes([_GRAPH_PX, _TABLE_PX])
        self.border = TableBorder(self, self.top)
        graph = self.flame.graph
        for changed in (graph.node_hovered, graph.node_selected, graph.scene_changed):
            changed.connect(self.details_changed)

    # -- which part

    def show_view(self, view: str) -> None:
        """Of flame, both, top, sandwich, graph and time; another one hides all parts."""
        self._view = view
        self.flame.setVisible(view in ("flame", "both"))
        self.top.setVisible(view in ("both", "top", "sandwich"))
        if view == "sandwich" and self.sandwich is None:
            self._make_sandwich()
        if view == "graph" and self.call_graph is None:
            self._make_call_graph()
        if view == "time" and self.times is None:
            self._make_times()
        if self.sandwich is not None:
            self.sandwich.setVisible(view == "sandwich")
        if self.call_graph is not None:
            self.call_graph.setVisible(view == "graph")
        if self.times is not None:
            self.times.setVisible(view == "time")
        self.border.begin(has_graph=view in _WITH_TABLE)

    @property
    def _other(self) -> SandwichView | CallGraphView | TimePanel | None:
        """What is shown in the place of the flame graph; None = nothing is."""
        if self._view == "graph" and self.call_graph is not None:
            return self.call_graph.view
        if self._view == "time":
            return self.times
        return self.sandwich if self._view == "sandwich" else None

    @property
    def focus_target(self) -> QWidget:
        """The part that takes the keys."""
        return self.top if self._view == "top" else self._other or self.flame.graph

    def _make_sandwich(self) -> None:
        made = self.sandwich = SandwichView(self._theme, self)
        self.setStretchFactor(self.indexOf(made), 3)  # call graph and times may be there already
        parts = [self.widget(place) for place in range(self.count())]
        self.setSizes([_TABLE_PX if part is self.top else _GRAPH_PX for part in parts])
        made.set_highlight(self._highlight)
        made.set_placeholder(*self._placeholder)
        made.details_changed.connect(self.details_changed)
        self.shorten_names(self._has_short_names)
        self.sandwich_made.emit(made)

    def _make_call_graph(self) -> None:
        made = self.call_graph = CallGraphPanel(self._theme, self)
        made.view.set_highlight(self._highlight)
        made.view.set_placeholder(*self._placeholder)
        made.view.details_changed.connect(self.details_changed)
        self.call_graph_made.emit(made)

    def _make_times(self) -> None:
        made = self.times = TimePanel(self._theme, self)
        made.set_highlight(self._highlight)
        made.set_placeholder(*self._placeholder)
        made.details_changed.connect(self.details_changed)
        self.shorten_names(self._has_short_names)
        self.times_made.emit(made)

    def show_shape(self, is_upward: bool) -> None:
        """Whether the root of the flame graph is at the bottom."""
        self.flame.graph.set_geometry(RowGeometry(is_upward))

    def shorten_names(self, is_short: bool) -> None:
        """Whether boxes of all graphs are called without package and module."""
        self._has_short_names = is_short
        graphs = [self.flame.graph]
        if self.sandwich is not None:
            graphs += [self.sandwich.callers.graph, self.sandwich.callees.graph]
        if self.times is not None:
            graphs.append(self.times.chart)
        for graph in graphs:
            graph.shorten_names(is_short)

    # -- what is shown

    def show_scene(self, scene: FlameScene | None) -> None:
        self.flame.graph.set_scene(scene)
        zoom, self._awaited_zoom = self._awaited_zoom, None
        if zoom is not None and scene is not None:
            self.camera.restore(zoom)

    def restore_zoom(self, zoom: View, is_of_next: bool) -> None:
        """Show what was shown before. ``is_of_next``: of the scene that comes next."""
        if is_of_next:
            self._awaited_zoom = zoom
        else:
            self.camera.restore(zoom)

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
        if self.call_graph is not None:
            self.call_graph.view.set_highlight(highlight)
        if self.times is not None:
            self.times.set_highlight(highlight)

    def set_placeholder(self, title: str, text: str) -> None:
        """What an empty graph or table shows."""
        self._placeholder = (title, text)
        self.flame.graph.set_placeholder(title, text)
        self.top.set_placeholder(title, text)
        if self.sandwich is not None:
            self.sandwich.set_placeholder(title, text)
        if self.call_graph is not None:
            self.call_graph.view.set_placeholder(title, text)
        if self.times is not None:
            self.times.set_placeholder(title, text)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.flame.set_theme(theme)
        self.top.set_theme(theme)
        if self.sandwich is not None:
            self.sandwich.set_theme(theme)
        if self.call_graph is not None:
            self.call_graph.view.set_theme(theme)
        if self.times is not None:
            self.times.set_theme(theme)

    def find_details(self) -> FrameDetails | None:
        """Of the box under the pointer, else of the selected one, else of the whole."""
        if self._other is not None:
            return self._other.find_details()
        graph = self.flame.graph
        if graph.scene is None or graph.scene.whole <= 0:
            return None
        return details_of(
            graph.scene, graph.hovered if graph.hovered >= 0 else max(0, graph.selected)
        )

    # -- moves

    @property
    def camera(self) -> Camera:
        """Of the flame graph."""
        return self.flame.graph.camera

    def reset_zoom(self) -> None:
        """Show everything."""
        (self._other or self.camera).reset_zoom()

    @property
    def is_zoomed(self) -> bool:
        """Whether a shown graph does not show everything."""
        if self._other is not None:
            return self._other.is_zoomed
        return self.flame.isVisibleTo(self) and self.camera.is_zoomed

    def clear_selection(self) -> bool:
        """Whether a box or a row was selected."""
        if self._other is not None:
            return self._other.clear_selection()
        was_selected = self.flame.graph.selected >= 0
        self.flame.graph.select(-1)
        return self.top.clear_selection() or was_selected
