"""Overview of a call graph: the whole graph, small in a corner, with the visible part marked."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from stackglass_viewer.presenter.document.graph_scene import CallGraphScene
from stackglass_viewer.view.widgets.theme import Theme

_MOST_PX = QSizeF(168, 120)
_MARGIN_PX, _INSET_PX = 10.0, 5.0


class GraphOverview:
    """Painted by the graph's widget over its lower right corner while the graph is zoomed."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._scene: CallGraphScene | None = None

    def set_scene(self, scene: CallGraphScene | None) -> None:
        self._scene = scene

    def place(self, widget: QRectF) -> QRectF:
        """Return the overview's rectangle on a widget, empty without a graph."""
        scene = self._scene
        if scene is None or scene.width <= 0 or scene.height <= 0:
            return QRectF()
        scale = self._scale(scene)
        width = scene.width * scale + 2 * _INSET_PX
        height = scene.height * scale + 2 * _INSET_PX
        return QRectF(
            widget.right() - width - _MARGIN_PX,
            widget.bottom() - height - _MARGIN_PX,
            width,
            height,
        )

    def to_graph(self, point: QPointF, widget: QRectF) -> QPointF:
        """Return the point of the graph at ``point``, a pixel of the widget."""
        scene = self._scene
        assert scene is not None
        corner = self.place(widget).topLeft() + QPointF(_INSET_PX, _INSET_PX)
        return (point - corner) / self._scale(scene)

    def paint(self, painter: QPainter, widget: QRectF, visible: QRectF) -> None:
        """Paint the overview; ``visible``: the part of the graph to mark, in the graph's units."""
        scene, theme = self._scene, self.theme
        if scene is None:
            return
        area, scale = self.place(widget), self._scale(scene)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        back = QColor(theme.surface)
        back.setAlphaF(0.92)
        painter.fillRect(area, back)
        painter.setPen(QPen(QColor(theme.strong_border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)
        painter.save()
        painter.translate(area.topLeft() + QPointF(_INSET_PX, _INSET_PX))
        for box in scene.boxes:
            painter.fillRect(
                QRectF(
                    box.left * scale,
                    box.top * scale,
                    max(2.0, box.width * scale),
                    max(1.5, box.height * scale),
                ),
                QColor.fromRgb(box.colour),
            )
        everything = QRectF(0, 0, scene.width, scene.height)
        seen = visible.intersected(everything)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.drawRect(
            QRectF(
                seen.left() * scale, seen.top() * scale, seen.width() * scale, seen.height() * scale
            )
        )
        painter.restore()

    def _scale(self, scene: CallGraphScene) -> float:
        return min(_MOST_PX.width() / scene.width, _MOST_PX.height() / scene.height)
