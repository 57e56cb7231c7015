"""Painter of a call graph: arrows, boxes with their figures, and what stands out."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from stackglass_viewer.model.graph.graph_layout import Point
from stackglass_viewer.presenter.document.flame_scene import Highlight
from stackglass_viewer.presenter.document.graph_scene import (
    CHAR_PX,
    LINE_PX,
    CallGraphScene,
    GraphBox,
    GraphEdge,
)
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_TEXT_FROM = 0.34  # smaller text is a smear
_LABELS_FROM = 0.62  # of edges
_CORNER, _ROUND = 6.0, 4.0  # of arrows, of boxes
_LEAST_WIDTH, _MORE_WIDTH = 1.1, 4.5  # of an arrow: of nothing, and what all of it adds
_HEAD_LENGTH, _HEAD_WIDTH = 8.0, 3.4
_FADED = 0.28
_MUTED = 0.72  # of a box's text beside its name
_SMALLER = 0.88


@dataclass(frozen=True, slots=True)
class Pointed:
    """What is under the pointer, or selected; -1 = nothing."""

    box: int = -1
    edge: int = -1


class GraphPainter:
    """Keeps paths and fonts of one scene. GUI thread, or any for a picture."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._scene: CallGraphScene | None = None
        self._highlight = Highlight()
        self._arrows: list[tuple[QPainterPath, QPolygonF, float]] = []
        base = fixed_font()
        char_px = QFontMetricsF(base).horizontalAdvance("M" * 64) / 64
        self._size_px = base.pixelSize() * CHAR_PX / char_px
        self._fonts: dict[tuple[float, bool], QFont] = {}

    def set_scene(self, scene: CallGraphScene | None) -> None:
        self._scene = scene
        self._arrows = [] if scene is None else [_make_arrow(edge) for edge in scene.edges]

    def set_highlight(self, highlight: Highlight) -> None:
        self._highlight = highlight

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    # -- painting

    def paint(
        self,
        painter: QPainter,
        scale: float,
        visible: QRectF,
        pointed: Pointed,
        selected: int,
    ) -> None:
        """The part in sight; the painter's coordinates are the graph's. ``scale``: pixels for a
        unit."""
        scene = self._scene
        if scene is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for at, edge in enumerate(scene.edges):
            self._paint_edge(painter, at, edge, visible, pointed, selected)
        if scale >= _LABELS_FROM:
            for edge in scene.edges:
                self._paint_label(painter, edge, visible)
        for at, box in enumerate(scene.boxes):
            if visible.intersects(_rect_of(box)):
                self._paint_box(painter, box, scale, at == pointed.box, at == selected)

    def _is_faded(self, frame: int) -> bool:
        """A search found other functions."""
        matches = self._highlight.matches
        if matches is None or frame == self._highlight.frame:
            return False
        return not (0 <= frame < len(matches) and bool(matches[frame]))

    def _blend(self, colour: QColor) -> QColor:
        back = QColor(self._theme.flame_background)
        return QColor.fromRgbF(
            *(
                part * _FADED + behind * (1 - _FADED)
                for part, behind in (
                    (colour.redF(), back.redF()),
                    (colour.greenF(), back.greenF()),
                    (colour.blueF(), back.blueF()),
                )
            )
        )

    # -- arrows

    def _paint_edge(
        self,
        painter: QPainter,
        at: int,
        edge: GraphEdge,
        visible: QRectF,
        pointed: Pointed,
        selected: int,
    ) -> None:
        path, head, width = self._arrows[at]
        if not visible.intersects(path.boundingRect().adjusted(-9, -9, 9, 9)):
            return
        theme = self._theme
        is_chosen = selected >= 0 and selected in (edge.caller, edge.callee)
        if at == pointed.edge:
            colour = QColor(theme.text)
        elif is_chosen:
            colour = QColor(theme.accent)
        else:
            colour = QColor(theme.faint)
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if edge.is_residual:
            pen.setDashPattern([3.0 / max(1.0, width / 2), 3.0 / max(1.0, width / 2)])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(head)

    def _paint_label(self, painter: QPainter, edge: GraphEdge, visible: QRectF) -> None:
        x, y = edge.path.label
        if not edge.text or not visible.contains(QPointF(x, y)):
            return
        painter.setFont(self._font(_SMALLER, is_bold=False))
        width, height = len(edge.text) * CHAR_PX * _SMALLER, LINE_PX * _SMALLER
        rect = QRectF(x - width / 2 - 2, y - height / 2, width + 4, height)
        painter.fillRect(rect, QColor(self._theme.flame_background))
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, edge.text)

    # -- boxes

    def _paint_box(
        self, painter: QPainter, box: GraphBox, scale: float, is_pointed: bool, is_selected: bool
    ) -> None:
        theme, rect = self._theme, _rect_of(box)
        is_faded = self._is_faded(box.frame)
        fill = QColor.fromRgb(box.colour)
        if is_faded:
            fill = self._blend(fill)
        painter.setBrush(fill)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect, _ROUND, _ROUND)
        if is_selected or is_pointed:
            pen = QPen(QColor(theme.selection), 2.4 if is_selected else 1.2)
            pen.setCosmetic(scale < 1)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect, _ROUND, _ROUND)
        if scale * box.scale >= _TEXT_FROM:
            self._paint_text(painter, box, QColor(theme.faint if is_faded else theme.label))

    def _paint_text(self, painter: QPainter, box: GraphBox, colour: QColor) -> None:
        quiet = QColor(colour)
        quiet.setAlphaF(_MUTED)
        lines = [(box.title, box.scale, True), *((text, box.scale, False) for text in box.figures)]
        if box.module:
            lines.insert(0, (box.module, 1.0, False))
        y = box.top + (box.height - sum(scale for _, scale, _ in lines) * LINE_PX) / 2
        for text, scale, is_title in lines:
            line = QRectF(box.left, y, box.width, LINE_PX * scale)
            painter.setFont(self._font(scale, is_title))
            painter.setPen(colour if is_title else quiet)
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, text)
            y += line.height()

    def _font(self, scale: float, is_bold: bool) -> QFont:
        key = (scale, is_bold)
        if key not in self._fonts:
            made = fixed_font()
            made.setPixelSize(max(1, round(self._size_px * scale)))
            made.setBold(is_bold)
            made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
            self._fonts[key] = made
        return self._fonts[key]


def _rect_of(box: GraphBox) -> QRectF:
    return QRectF(box.left, box.top, box.width, box.height)


def _make_arrow(edge: GraphEdge) -> tuple[QPainterPath, QPolygonF, float]:
    """The line with round corners, its head, and how wide it is."""
    width = _LEAST_WIDTH + _MORE_WIDTH * min(edge.share, 1.0)
    points = list(edge.path.points)
    path = QPainterPath()
    if len(points) < 2:
        return path, QPolygonF(), width
    tip, before = points[-1], points[-2]
    length = _HEAD_LENGTH + width
    angle = atan2(tip[1] - before[1], tip[0] - before[0])
    base = (tip[0] - cos(angle) * length, tip[1] - sin(angle) * length)
    path.moveTo(*points[0])
    for at in range(1, len(points) - 1):
        _turn(path, points[at - 1], points[at], points[at + 1])
    path.lineTo(*base)
    side = _HEAD_WIDTH + width / 2
    across = (cos(angle + pi / 2) * side, sin(angle + pi / 2) * side)
    head = QPolygonF(
        [
            QPointF(*tip),
            QPointF(base[0] + across[0], base[1] + across[1]),
            QPointF(base[0] - across[0], base[1] - across[1]),
        ]
    )
    return path, head, width


def _turn(path: QPainterPath, before: Point, corner: Point, after: Point) -> None:
    """Go round a corner."""
    begin, end = _approach(corner, before), _approach(corner, after)
    path.lineTo(*begin)
    path.quadTo(*corner, *end)


def _approach(corner: Point, other: Point) -> Point:
    """The place near a corner where its rounding begins."""
    length = hypot(other[0] - corner[0], other[1] - corner[1])
    share = min(_CORNER, length / 2) / length if length else 0.0
    return corner[0] + (other[0] - corner[0]) * share, corner[1] + (other[1] - corner[1]) * share
