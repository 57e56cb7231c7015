"""Picture of a flame graph: the whole graph as the widget would paint it, as a PNG."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QRect
from PySide6.QtGui import QImage, QPainter

from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.painter import FlamePainter
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.widgets.theme import Theme

_WIDTH_PX, _RATIO = 1600, 2
_MOST_PX = 16_000  # height; deeper stacks are cut


def paint_png(
    scene: FlameScene, highlight: Highlight, theme: Theme, geometry: RowGeometry
) -> bytes:
    """Return the whole graph as a PNG file, 3200 pixels wide. Any thread."""
    height_px = min(geometry.content_px(scene.layout.n_rows), _MOST_PX)
    image = QImage(_WIDTH_PX * _RATIO, height_px * _RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_RATIO)
    graph = FlamePainter(theme, geometry)
    graph.set_scene(scene)
    graph.set_highlight(highlight)
    painter = QPainter(image)
    graph.paint(painter, QRect(0, 0, _WIDTH_PX, height_px), View(), -1, -1)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stubs lack QIODevice
    return bytes(buffer.data().data())
