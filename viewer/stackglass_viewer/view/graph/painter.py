"""Painter of a call graph: arrows from callers to callees, and boxes of functions.

::

    layers, each over the one before    arrows ─▶ labels of arrows ─▶ boxes
    selected box                        an outline, and its arrows in the accent colour
    search                              boxes of functions that do not match are faded

Lengths are in units of the graph: the caller has scaled the QPainter.
"""

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

# Least scales, in pixels per unit: at smaller ones a box has its name only, or no text.
_BOX_TEXT_SCALE = 0.62
_BOX_NAME_SCALE = 0.34
_ARROW_LABEL_SCALE = 0.62
# In units of the graph.
_BOX_RADIUS = 4.0
_ARROW_RADIUS = 6.0  # where an arrow turns
_ARROW_WIDTH, _SHARE_WIDTH = 1.1, 4.5  # width of an arrow of share 0, and what a share of 1 adds
_HEAD_LENGTH, _HEAD_HALF_WIDTH = 8.0, 3.4  # of an arrow's head; the arrow's width adds to them
_PAINTED_MARGIN = 9.0  # how far an arrow's head and width reach beyond its path
_DASH = 3.0  # dash length of an arrow for calls through functions that are not shown
_LABEL_MARGIN = 2.0
_LABEL_SCALE = 0.88  # size of an arrow's text, relative to a box's
_SELECTED_WIDTH, _POINTED_WIDTH = 2.4, 1.2  # width of a box's outline
# Opacities.
_FADED = 0.28  # of a box without a search match
_MUTED = 0.72  # of a box's text other than its name


@dataclass(frozen=True, slots=True)
class Pointed:
    """The box or the edge under the pointer, as an index in the scene; -1 = none."""

    box: int = -1
    edge: int = -1


class GraphPainter:
    """Paints a scene, and keeps the paths of its arrows and the fonts for the next time.

    Each painter belongs to one thread: the GUI thread, or a thread that writes a picture.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._scene: CallGraphScene | None = None
        self._highlight = Highlight()
        self._arrows: list[tuple[QPainterPath, QPolygonF, float]] = []
        base = fixed_font()
        n_chars = 64  # many, because an advance can be rounded to pixels
        char_px = QFontMetricsF(base).horizontalAdvance("M" * n_chars) / n_chars
        self._size_px = base.pixelSize() * CHAR_PX / char_px  # the layout counts on CHAR_PX
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
        """Paint the part ``visible`` of the graph, in the graph's units.

        ``scale``: pixels per unit. ``selected``: index of a box, -1 = none.
        """
        scene = self._scene
        if scene is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for at, edge in enumerate(scene.edges):
            self._paint_edge(painter, at, edge, visible, pointed, selected)
        if scale >= _ARROW_LABEL_SCALE:
            for edge in scene.edges:
                self._paint_label(painter, edge, visible)
        for at, box in enumerate(scene.boxes):
            if visible.intersects(_rect_of(box)):
                self._paint_box(painter, box, scale, at == pointed.box, at == selected)

    def _is_faded(self, frame: int) -> bool:
        """Whether a search is active, and the function is neither a match nor selected."""
        matches = self._highlight.matches
        if matches is None or frame == self._highlight.frame:
            return False
        return not (0 <= frame < len(matches) and bool(matches[frame]))

    def _fade(self, colour: QColor) -> QColor:
        """Mix a colour with the background. Opacity would let arrows below shine through."""
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
        margin = _PAINTED_MARGIN
        if not visible.intersects(path.boundingRect().adjusted(-margin, -margin, margin, margin)):
            return
        theme = self._theme
        is_of_selected = selected >= 0 and selected in (edge.caller, edge.callee)
        if at == pointed.edge:
            colour = QColor(theme.text)
        elif is_of_selected:
            colour = QColor(theme.accent)
        else:
            colour = QColor(theme.faint)
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if edge.is_residual:
            dash = _DASH / max(1.0, width / 2)  # Qt counts dashes in widths of the pen
            pen.setDashPattern([dash, dash])
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
        painter.setFont(self._font(_LABEL_SCALE, is_bold=False))
        width, height = len(edge.text) * CHAR_PX * _LABEL_SCALE, LINE_PX * _LABEL_SCALE
        rect = QRectF(x - width / 2, y - height / 2, width, height).adjusted(
            -_LABEL_MARGIN, 0, _LABEL_MARGIN, 0
        )
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
            fill = self._fade(fill)
        painter.setBrush(fill)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect, _BOX_RADIUS, _BOX_RADIUS)
        if is_selected or is_pointed:
            pen = QPen(QColor(theme.selection), _SELECTED_WIDTH if is_selected else _POINTED_WIDTH)
            pen.setCosmetic(scale < 1)  # the width is in pixels: visible in a small graph too
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect, _BOX_RADIUS, _BOX_RADIUS)
        if scale * box.scale >= _BOX_TEXT_SCALE:
            lines = [(box.title, box.scale, True)]
            lines += [(text, box.scale, False) for text in box.figures]
            if box.module:
                lines.insert(0, (box.module, 1.0, False))
        elif scale * box.name.scale >= _BOX_NAME_SCALE:
            lines = [(text, box.name.scale, True) for text in box.name.lines]
        else:
            return
        self._paint_text(painter, box, lines, QColor(theme.faint if is_faded else theme.label))

    def _paint_text(
        self,
        painter: QPainter,
        box: GraphBox,
        lines: list[tuple[str, float, bool]],
        colour: QColor,
    ) -> None:
        """Paint lines in the middle of a box: text, scale, and whether it is the name."""
        quiet = QColor(colour)
        quiet.setAlphaF(_MUTED)
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
    """Return an arrow's line with round corners, its head, and the line's width.

    ::

        points ─────╮
                    │        the line ends at the head's base
                  ──┴── base
                   ╲ ╱
                    ▼ tip    the last point
    """
    width = _ARROW_WIDTH + _SHARE_WIDTH * min(edge.share, 1.0)
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
    half_width = _HEAD_HALF_WIDTH + width / 2
    across = (cos(angle + pi / 2) * half_width, sin(angle + pi / 2) * half_width)
    head = QPolygonF(
        [
            QPointF(*tip),
            QPointF(base[0] + across[0], base[1] + across[1]),
            QPointF(base[0] - across[0], base[1] - across[1]),
        ]
    )
    return path, head, width


def _turn(path: QPainterPath, before: Point, corner: Point, after: Point) -> None:
    """Add a line towards ``corner`` and a curve around it."""
    begin, end = _approach(corner, before), _approach(corner, after)
    path.lineTo(*begin)
    path.quadTo(*corner, *end)


def _approach(corner: Point, other: Point) -> Point:
    """Return the point on the line from ``corner`` to ``other`` at which the curve meets it."""
    length = hypot(other[0] - corner[0], other[1] - corner[1])
    share = min(_ARROW_RADIUS, length / 2) / length if length else 0.0
    return corner[0] + (other[0] - corner[0]) * share, corner[1] + (other[1] - corner[1]) * share
