"""Time axis above lanes, calls and heat map."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.document.time_ticks import list_ticks
from stackglass_viewer.presenter.settings.span_choice import Span
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

AXIS_PX = 20
_TICK_PX, _GAP_PX, _INSET_PX = 4, 3, 8


def paint_axis(painter: QPainter, area: QRectF, window: Span, theme: Theme) -> None:
    """Paint ticks with their times; a text that would reach beyond ``area`` is left out."""
    font = fixed_font()
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    begin, end = window
    baseline = area.top() + (area.height() + metrics.ascent() - metrics.descent()) / 2
    for tick in list_ticks(begin, end, area.width()):
        x = area.left() + (tick.at_ns - begin) / (end - begin) * area.width()
        painter.setPen(QPen(QColor(theme.strong_border), 1))
        painter.drawLine(QPointF(x, area.bottom() - _TICK_PX), QPointF(x, area.bottom()))
        if x + _GAP_PX + metrics.horizontalAdvance(tick.text) <= area.right():
            painter.setPen(QColor(theme.muted))
            painter.drawText(QPointF(x + _GAP_PX, baseline), tick.text)


def paint_scale(painter: QPainter, area: QRectF, text: str, theme: Theme) -> None:
    """Paint what the height of a lane is, beside the axis."""
    painter.setFont(fixed_font())
    painter.setPen(QColor(theme.muted))
    side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
    inner = area.adjusted(_INSET_PX, 0, -_INSET_PX, 0)
    cut = QFontMetricsF(fixed_font()).elidedText(
        text, Qt.TextElideMode.ElideRight, inner.width() + 1
    )
    painter.drawText(inner, side, cut)


def paint_untimed(painter: QPainter, area: QRectF, right_px: float, theme: Theme) -> None:
    """Hatch the time up to ``right_px``, of which no samples have times: it is not idle time."""
    untimed = QRectF(area.left(), area.top(), right_px - area.left(), area.height())
    if right_px > area.left():
        brush = QBrush(QColor(theme.strong_border), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(untimed & area, brush)


class CallsAxis(QWidget):
    """The axis above a chart of calls, which follows the chart's camera."""

    def __init__(self, graph: FlameView, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._graph = graph
        self._theme = theme
        self.setFixedHeight(AXIS_PX)
        graph.camera.moved.connect(self.update)
        graph.view_changed.connect(self.update)
        graph.scene_changed.connect(self.update)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    @property
    def shown(self) -> Span | None:
        """The span of time that the chart shows; None = there is no chart."""
        scene = self._graph.scene
        if scene is None or scene.over_time is None:
            return None
        begin, end = scene.over_time.begin_ns, scene.over_time.end_ns
        view = self._graph.camera.shown
        left = begin + round(view.left * (end - begin))
        return left, max(begin + round(view.right * (end - begin)), left + 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        if self.shown is not None:
            area = QRectF(0, 0, self._graph.width(), self.height())
            paint_axis(painter, area, self.shown, self._theme)
        painter.end()
