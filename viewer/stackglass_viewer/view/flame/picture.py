"""Picture of a flame graph: the whole graph as the widget would paint it, as a PNG."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QRect
from PySide6.QtGui import QImage, QPainter

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.painter import FlamePainter
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.widgets.theme import Theme

_WIDTH_PX, _RATIO = 1600, 2
_MOST_PX = 32_000  # height of an image, in its own pixels: Qt paints up to 32 767


def paint_png(
    scene: FlameScene, highlight: Highlight, theme: Theme, geometry: RowGeometry
) -> bytes:
    """Return the whole graph as a PNG file, 3200 pixels wide, or 1600 if it has more than 800
    rows. Any thread. Raises ContentError if it has more than 1600."""
    height_px = geometry.content_px(scene.layout.n_rows)
    if height_px > _MOST_PX:
        raise ContentError(
            f"This graph has {height_px // ROW_PX:,} rows, and a .png has room for "
            f"{_MOST_PX // ROW_PX:,}: export it as .svg or .html, or collapse recursion first."
        )
    ratio = _RATIO if height_px * _RATIO <= _MOST_PX else 1
    image = QImage(_WIDTH_PX * ratio, height_px * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
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
