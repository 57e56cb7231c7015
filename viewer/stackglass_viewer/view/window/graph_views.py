"""Graph views of a tab: flame graph, function table, sandwich, call graph, view over time."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    Highlight,
    details_of,
    has_box,
)
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.presenter.document.sandwich import SandwichScene
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_layout import ViewLayout, make_preset
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


class GraphViews(QObject):
    """Makes the views: sandwich, call graph and the view over time when they are first shown.

    Zoom and selection are those of the graph that has the focus, or else of the flame graph.
    """

    sandwich_made = Signal(object)  # SandwichView
    call_graph_made = Signal(object)  # CallGraphPanel
    times_made = Signal(object)  # TimePanel
    details_changed = Signal()  # another box is under the pointer, or is selected

    def __init__(self, top: TopModel, theme: Theme, area: QWidget) -> None:
        super().__init__(area)
        self._area = area
        self.flame = FlamePanel(theme, area)
        self.flame.hide()
        self.flame.add_minimap()
        self.top = TopView(top, theme, area)
        self.top.hide()
        self.sandwich: SandwichView | None = None
        self.call_graph: CallGraphPanel | None = None
        self.times: TimePanel | None = None
        self._theme = theme
        self._layout = make_preset("flame")
        self._placeholder = ("Nothing here", "")
        self._highlight = Highlight()
        self._has_short_names = False
        self._has_transforms = False
        self._awaited_zoom: View | None = None  # for the scene that comes next
        graph = self.flame.graph
        for changed in (graph.node_hovered, graph.selection_shown, graph.scene_changed):
            changed.connect(self.details_changed)

    # -- the views that are shown

    def show_layout(self, layout: ViewLayout) -> dict[str, QWidget]:
        """Make the views of a layout. Return all views made so far, which the view area places."""
        self._layout = layout
        views = layout.views
        if "sandwich" in views and self.sandwich is None:
            self._make_sandwich()
        if "graph" in views and self.call_graph is None:
            self._make_call_graph()
        if "time" in views and self.times is None:
            self._make_times()
        return self._made

    @property
    def _made(self) -> dict[str, QWidget]:
        """The widgets made so far, by the view's name."""
        views = {
            "flame": self.flame,
            "top": self.top,
            "sandwich": self.sandwich,
            "graph": self.call_graph,
            "time": self.times,
        }
        return {view: widget for view, widget in views.items() if widget is not None}

    @property
    def _other(self) -> SandwichView | CallGraphView | TimePanel | None:
        """The focused graph, None if that is the flame graph. While a view of a memory trace is
        focused, the tab's chosen view counts instead."""
        focused = self._layout.focused
        return self._find_other(self._layout.view if focused in TRACE_VIEWS else focused)

    def _find_other(self, view: str) -> SandwichView | CallGraphView | TimePanel | None:
        if view == "graph":
            return self.call_graph.view if self.call_graph is not None else None
        if view == "time":
            return self.times
        return self.sandwich if view == "sandwich" else None

    @property
    def focus_target(self) -> QWidget:
        """The widget that takes the keyboard focus."""
        return self.top if self._layout.focused == "top" else self._other or self.flame.graph

    def _make_sandwich(self) -> None:
        made = self.sandwich = SandwichView(self._theme, self._area)
        made.set_highlight(self._highlight)
        made.set_placeholder(*self._placeholder)
        made.details_changed.connect(self.details_changed)
        self._shorten_names()
        self.sandwich_made.emit(made)

    def _make_call_graph(self) -> None:
        made = self.call_graph = CallGraphPanel(self._theme, self._area)
        made.view.set_highlight(self._highlight)
        made.view.set_placeholder(*self._placeholder)
        made.view.details_changed.connect(self.details_changed)
        made.offer_transforms(self._has_transforms)
        self.call_graph_made.emit(made)

    def _make_times(self) -> None:
        made = self.times = TimePanel(self._theme, self._area)
        made.set_highlight(self._highlight)
        made.set_placeholder(*self._placeholder)
        made.details_changed.connect(self.details_changed)
        self._shorten_names()
        made.offer_transforms(self._has_transforms)
        self.times_made.emit(made)

    def set_box_style(self, is_upward: bool, has_short_names: bool) -> None:
        """Set how boxes of graphs are drawn.

        ``is_upward``: the root of the flame graph is at the bottom. ``has_short_names``: boxes show
        names without package and module.
        """
        self._has_short_names = has_short_names
        self.flame.graph.set_geometry(RowGeometry(is_upward))
        self._shorten_names()

    def _shorten_names(self) -> None:
        graphs = [self.flame.graph]
        if self.sandwich is not None:
            graphs += [self.sandwich.callers.graph, self.sandwich.callees.graph]
        if self.times is not None:
            graphs.append(self.times.chart)
        for graph in graphs:
            graph.shorten_names(self._has_short_names)

    def offer_transforms(self, are_offered: bool) -> None:
        """Choose whether the menus of boxes offer filters."""
        self._has_transforms = are_offered
        for panel in (self.call_graph, self.times):
            if panel is not None:
                panel.offer_transforms(are_offered)

    # -- what is shown

    def show_scene(self, scene: FlameScene | None) -> None:
        self.flame.graph.set_scene(scene)
        zoom, self._awaited_zoom = self._awaited_zoom, None
        if zoom is not None and scene is not None:
            self.camera.restore(zoom)

    def restore_zoom(self, zoom: View, is_of_next: bool) -> None:
        """Restore a view of the flame graph, now or if ``is_of_next`` when the next scene comes."""
        if is_of_next:
            self._awaited_zoom = zoom
        else:
            self.camera.restore(zoom)

    def show_sandwich(self, shown: SandwichScene | None) -> None:
        """Show a function's callers and callees; None = no function is chosen."""
        if self.sandwich is not None:
            self.sandwich.show_sandwich(shown)

    def set_highlight(self, highlight: Highlight) -> None:
        """Set which functions stand out in every graph."""
        self._highlight = highlight
        self.flame.graph.set_highlight(highlight)
        if self.sandwich is not None:
            self.sandwich.set_highlight(highlight)
        if self.call_graph is not None:
            self.call_graph.view.set_highlight(highlight)
        if self.times is not None:
            self.times.set_highlight(highlight)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that an empty graph or table shows."""
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
        """Return details of the box under the pointer, else of the selected box, else of the
        function that is selected in the table, else of the whole graph."""
        other = self._find_other(self._find_pointed())
        if other is not None:
            return other.find_details()
        graph = self.flame.graph
        if graph.scene is None or graph.scene.whole <= 0:
            return None
        node = graph.hovered if graph.hovered >= 0 else graph.selected
        function = self.top.find_details() if node < 0 else None
        return function or details_of(graph.scene, max(0, node))

    def _find_pointed(self) -> str:
        """Return the name of the graph under the pointer, else of the focused view."""
        shown = (view for view in self._layout.views if view in self._made and view != "top")
        return next((view for view in shown if self._made[view].underMouse()), self._layout.focused)

    # -- moves

    @property
    def camera(self) -> Camera:
        """The flame graph's camera."""
        return self.flame.graph.camera

    def reset_zoom(self) -> None:
        """Show the whole of the focused graph."""
        (self._other or self.camera).reset_zoom()

    @property
    def is_zoomed(self) -> bool:
        """Whether the focused graph shows only a part."""
        if self._other is not None:
            return self._other.is_zoomed
        return not self.flame.isHidden() and self.camera.is_zoomed

    def clear_selection(self) -> bool:
        """Clear the selection, if a shown view has its box or its row; returns whether one has."""
        if self._other is not None:
            return self._other.clear_selection()
        if not self._shows_selection():
            return False
        self.flame.graph.select(-1)
        self.top.clear_selection()
        return True

    def _shows_selection(self) -> bool:
        if not self.top.isHidden() and self.top.shows_selection:
            return True
        graph, frame = self.flame.graph, self._highlight.frame
        if self.flame.isHidden() or graph.scene is None or graph.scene.whole <= 0:
            return False
        return graph.selected >= 0 or has_box(graph.scene, frame)
