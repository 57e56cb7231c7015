"""Picture of a call graph: the whole graph as the widget would paint it, as PNG or SVG."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator

from stackglass_viewer.presenter.document.flame_scene import Highlight
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene
from stackglass_viewer.view.graph.painter import GraphPainter, Pointed
from stackglass_viewer.view.widgets.theme import Theme

_MARGIN = 16.0
_RATIO, _MOST_PX = 2.0, 16_000


def paint_graph_png(scene: CallGraphScene, highlight: Highlight, theme: Theme) -> bytes:
    """Return the graph as a PNG file. Any thread.

    It has two pixels per unit, or fewer so that it is at most 16 000 pixels wide and high.
    """
    area = _area_of(scene)
    ratio = min(_RATIO, _MOST_PX / max(area.width(), area.height()))
    size = QSize(round(area.width() * ratio), round(area.height() * ratio))
    image = QImage(size, QImage.Format.Format_RGB32)
    paint_graph(image, scene, highlight, theme, ratio)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stubs lack QIODevice
    return bytes(buffer.data().data())


def paint_graph_svg(scene: CallGraphScene, title: str, highlight: Highlight, theme: Theme) -> bytes:
    """Return the graph as an SVG file, with names and figures as text. Any thread."""
    area, buffer = _area_of(scene), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    made.setTitle(title)
    made.setSize(area.size().toSize())
    made.setViewBox(QRectF(0, 0, area.width(), area.height()))
    paint_graph(made, scene, highlight, theme, 1.0)
    return bytes(buffer.data().data())


def paint_graph(
    device: QPaintDevice,
    scene: CallGraphScene,
    highlight: Highlight,
    theme: Theme,
    ratio: float,
) -> None:
    """Paint the whole graph onto ``device``, with ``ratio`` pixels per unit."""
    area = _area_of(scene)
    graph = GraphPainter(theme)
    graph.set_scene(scene)
    graph.set_highlight(highlight)
    painter = QPainter(device)
    painter.scale(ratio, ratio)
    painter.translate(-area.topLeft())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.fillRect(area, QColor(theme.flame_background))
    graph.paint(painter, 1.0, area, Pointed(), scene.box_of(highlight.frame))
    painter.end()


def _area_of(scene: CallGraphScene) -> QRectF:
    return QRectF(0, 0, scene.width, scene.height).adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
