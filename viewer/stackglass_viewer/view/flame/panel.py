"""Flame graph panel: the graph, a scroll bar beside it, and a minimap if it has one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollBar, QWidget

from stackglass_viewer.view.flame.minimap import Minimap
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.theme import Theme


class FlamePanel(QWidget):
    """A graph with a scroll bar, which is shown only while the graph is higher than its widget."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, geometry: RowGeometry | None = None
    ) -> None:
        super().__init__(parent)
        self.graph = FlameView(theme, self, geometry)
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.setSingleStep(ROW_PX)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.graph, 1)
        layout.addWidget(self._bar)
        self.graph.view_changed.connect(self._update_bar)
        self.graph.scene_changed.connect(self._update_bar)
        self._bar.valueChanged.connect(self._on_scrolled)
        self._bar.hide()
        self.minimap: Minimap | None = None
        self._theme = theme

    def add_minimap(self) -> None:
        """Add a minimap over the graph. Call it once; the halves of a sandwich have none."""
        self.minimap = Minimap(self.graph, self._theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.graph.set_theme(theme)
        if self.minimap is not None:
            self.minimap.set_theme(theme)

    def _update_bar(self) -> None:
        beyond_px = self.graph.camera.content_px() - self.graph.height()
        with QSignalBlocker(self._bar):
            self._bar.setRange(0, max(0, beyond_px))
            self._bar.setPageStep(self.graph.height())
            self._bar.setValue(self._mirror(round(self.graph.camera.navigation.view.top_px)))
        self._bar.setVisible(beyond_px > 0)

    def _on_scrolled(self, value: int) -> None:
        self.graph.camera.scroll_to(float(self._mirror(value)))

    def _mirror(self, value_px: int) -> int:
        """Convert between the bar's value, 0 at the top, and the graph's, 0 at its root."""
        return self._bar.maximum() - value_px if self.graph.camera.geometry.is_upward else value_px
