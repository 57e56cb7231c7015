"""Curve view: bytes in use over time, with a ruler, the peak, the cursor and the brush."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.memory_trace.curve import Curve
from stackglass_viewer.presenter.memory_trace.map_hover import read_curve
from stackglass_viewer.presenter.memory_trace.ticks import place_byte_ticks, place_time_ticks
from stackglass_viewer.view.memory_trace.curve_points import CurvePoints
from stackglass_viewer.view.memory_trace.time_view import TimeView
from stackglass_viewer.view.widgets.accessible_parts import announce_current, offer_parts
from stackglass_viewer.view.widgets.shown_text import show_tip
from stackglass_viewer.view.widgets.theme import Theme

_RULER_PX, _HEIGHT_PX, _LEAST_PX = 20, 104, 72
_HEAD_PX = 6  # room above the highest point
_TICK_PX, _LINE_PX = 90, 18  # room for a tick of the ruler, and for a tick of the scale
_FILL_ALPHA, _BEHIND_ALPHA = 46, 190  # of 255: below the curve, behind the peak's text
_PEAK_PX = 4  # radius


class CurveView(TimeView):
    """A curve below a ruler. A click or drag on the ruler moves the cursor; a drag over the curve
    draws the brush, a span."""

    top_px = _RULER_PX

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._curve: Curve | None = None
        self._zero_ns = 0
        self.setMinimumHeight(_LEAST_PX)
        self.setAccessibleName("Memory in use over time")
        points = CurvePoints(
            lambda: self._curve, self._list_times, self._place_time, lambda: self._zero_ns
        )
        offer_parts(self, points.parts)

    def sizeHint(self) -> QSize:
        return QSize(600, _HEIGHT_PX)

    def set_zero(self, zero_ns: int) -> None:
        """Set the time that the ruler counts from."""
        self._zero_ns = zero_ns

    def show_curve(self, curve: Curve) -> None:
        self._curve = curve
        self.update()

    def show_cursor(self, time_ns: int) -> None:
        is_moved = time_ns != self._cursor_ns
        super().show_cursor(time_ns)
        if is_moved and self.hasFocus():
            announce_current(self)

    def _list_times(self) -> list[int]:
        n_ticks = self.picture_rect.width() // _TICK_PX
        ticks = place_time_ticks(*self.window_ns, self._zero_ns, n_ticks)
        return [self._cursor_ns, *(int(tick.value) for tick in ticks)]

    def _place_time(self, time_ns: int) -> QRect:
        rect = self.picture_rect
        return QRect(round(self.to_px(time_ns)), rect.top(), 1, rect.height())

    def is_ruler(self, y: float) -> bool:
        return y < _RULER_PX

    def hover(self, point: QPointF) -> None:
        curve = self._curve
        time_ns = self.to_ns(point.x())
        live = None if curve is None else read_curve(curve, time_ns)
        if live is None or point.x() < self.picture_rect.left():
            QToolTip.hideText()
            return
        text = f"{format_value(time_ns - self._zero_ns, 'nanoseconds')}: "
        text += f"{format_value(live, 'bytes')} in use"
        show_tip(self.mapToGlobal(point.toPoint()), text, self)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.face)
        rect = self.picture_rect
        painter.fillRect(rect, QColor(self.theme.flame_background))
        self._paint_ruler(painter)
        if self._curve is not None:
            self._paint_scale(painter, self._curve)
            self._paint_curve(painter, self._curve)
        self.paint_marks(painter)

    def _paint_ruler(self, painter: QPainter) -> None:
        rect, theme = self.picture_rect, self.theme
        ticks = place_time_ticks(*self.window_ns, self._zero_ns, rect.width() // _TICK_PX)
        for tick in ticks:
            x = round(self.to_px(tick.value))
            painter.fillRect(x, rect.top() - 4, 1, rect.height() + 4, QColor(theme.border))
            painter.setPen(QColor(theme.muted))
            width_px = round(self.metrics.horizontalAdvance(tick.text)) + 2
            left_px = min(max(x - width_px // 2, rect.left()), rect.right() - width_px)
            painter.drawText(
                QRect(left_px, 0, width_px, _RULER_PX - 4), Qt.AlignmentFlag.AlignCenter, tick.text
            )

    def _paint_scale(self, painter: QPainter, curve: Curve) -> None:
        rect = self.picture_rect
        for tick in place_byte_ticks(curve.top_bytes, rect.height() // _LINE_PX):
            y = self._to_y(tick.value, curve)
            painter.fillRect(rect.left(), round(y), rect.width(), 1, QColor(self.theme.border))
            self.paint_caption(painter, y, tick.text)

    def _to_y(self, size: int, curve: Curve) -> float:
        rect = self.picture_rect
        room = rect.height() - _HEAD_PX
        return rect.bottom() + 1 - room * size / max(curve.top_bytes, 1)

    def _paint_curve(self, painter: QPainter, curve: Curve) -> None:
        """Paint the curve, stretched from the window that it was made for to the window shown now,
        until a curve for that window comes."""
        rect, theme, window = self.picture_rect, self.theme, curve.window
        n_columns = len(curve.most_bytes)
        if not n_columns:
            return
        left_px = self.to_px(window.begin_ns)
        step_px = (self.to_px(window.end_ns) - left_px) / n_columns
        points = [QPointF(left_px, rect.bottom() + 1.0)]
        for column, size in enumerate(curve.most_bytes.tolist()):
            points.append(QPointF(left_px + (column + 0.5) * step_px, self._to_y(size, curve)))
        points.append(QPointF(left_px + n_columns * step_px, rect.bottom() + 1.0))
        painter.save()
        painter.setClipRect(rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = QColor(theme.accent)
        fill.setAlpha(_FILL_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF(points))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1.2))
        painter.drawPolyline(QPolygonF(points[1:-1]))
        self._paint_peak(painter, curve)
        painter.restore()

    def _paint_peak(self, painter: QPainter, curve: Curve) -> None:
        time_ns, size = curve.peak
        begin_ns, end_ns = self.window_ns
        if not begin_ns <= time_ns <= end_ns:
            return
        rect = self.picture_rect
        x, y = self.to_px(time_ns), self._to_y(min(size, curve.top_bytes), curve)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.warning))
        painter.drawEllipse(QPointF(min(x, rect.right() - _PEAK_PX), y), _PEAK_PX, _PEAK_PX)
        text = f"peak {format_value(size, 'bytes')}"
        width_px = round(self.metrics.horizontalAdvance(text)) + 4
        is_right = x + width_px + 2 * _PEAK_PX < rect.right()
        left_px = round(x) + 2 * _PEAK_PX if is_right else round(x) - width_px - 2 * _PEAK_PX
        point = QRect(left_px, round(y) - 2, width_px, round(self.metrics.height()) + 2)
        behind = QColor(self.theme.flame_background)
        behind.setAlpha(_BEHIND_ALPHA)
        painter.fillRect(point, behind)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(point, Qt.AlignmentFlag.AlignVCenter, text)
