"""Call graph panel: the call graph above the bar with its limits."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene
from stackglass_viewer.view.graph.bar import GraphBar
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.graph.view import CallGraphView
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.theme import Theme


class CallGraphPanel(CompoundWidget):
    """Shows the graph, its menu and its bar, and emits the user's commands."""

    limits_chosen = Signal(object)  # GraphLimits
    action_requested = Signal(str, int)  # name of the action, frame

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = CallGraphView(theme, self)
        self.bar = GraphBar(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addWidget(self.bar)
        self.set_entry(self.view)
        self._has_transforms = False  # until offer_transforms is called
        self.bar.limits_chosen.connect(self.limits_chosen)
        self.view.action_requested.connect(self.action_requested)
        self.view.menu_requested.connect(self._show_menu)

    def offer_transforms(self, has_transforms: bool) -> None:
        """Choose whether the menu offers filters."""
        self._has_transforms = has_transforms

    def _show_menu(self, frame: int, point: QPoint) -> None:
        scene = self.view.scene
        has_file = scene is not None and bool(scene.top.file[frame])
        menu = FunctionMenu(frame, self, self._has_transforms, has_copy_key=True)
        menu.offer_place(has_file)
        menu.action_requested.connect(self._on_action)
        menu.reset_requested.connect(self.view.reset_zoom)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(point)

    def _on_action(self, name: str, frame: int) -> None:
        if name == "zoom":
            self.view.zoom_to(frame)
        else:
            self.action_requested.emit(name, frame)

    def show_beginning(self) -> None:
        """Say that the first drawing is under way."""
        self.view.show_beginning()

    def show_scene(self, scene: CallGraphScene | None) -> None:
        """Show a drawing; None = there is nothing to draw."""
        self.view.show_scene(scene)
        self.bar.show_scene(scene)

    def show_failure(self, text: str) -> None:
        """Say why the graph cannot be drawn."""
        self.view.set_placeholder("No call graph", text)
        self.show_scene(None)

    def go_to(self, frame: int, name: str) -> None:
        """Scroll to a function, or say that the graph leaves it out."""
        if not self.view.go_to(frame) and self.view.scene is not None:
            self.bar.say(f"{make_printable(name)} is left out: it is below the limits chosen here.")
