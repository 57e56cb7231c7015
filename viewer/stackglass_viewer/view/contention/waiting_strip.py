"""Waiting strip: how much threads waited over time, a bar for each second, the newest at right."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.presenter.tables.delay_bars import Strip
from stackglass_viewer.view.widgets.painted_bars import PaintedBars
from stackglass_viewer.view.widgets.shown_text import show_tip
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_HEIGHT_PX = 62
_SIDE_PX = 12
_LABEL_PX = 92
_TOP_PX = 8


class WaitingStrip(PaintedBars):
    """Bars with the waits of their second as tool tips; the scale at the left has one, too."""

    begins_at_end = True  # the newest second is the last

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Waiting over time", parent)
        self._theme = theme
        self._font = fixed_font()
        self._font.setPixelSize(11)
        self._strip: Strip | None = None
        self.setMouseTracking(True)
        self.setFixedHeight(_HEIGHT_PX)

    def sizeHint(self) -> QSize:
        return QSize(600, _HEIGHT_PX)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_strip(self, strip: Strip | None) -> None:
        if strip != self._strip:
            n_before, self._strip = self._count_bars(), strip
            self.setAccessibleDescription(strip.about if strip is not None else "")
            self._follow_bars(self._count_bars() - n_before)  # a bar's place counts from the end

    @property
    def _room(self) -> QRect:
        """Area of the bars, in pixels."""
        return self.rect().adjusted(_SIDE_PX + _LABEL_PX, _TOP_PX, -_SIDE_PX, -_TOP_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        room, strip = self._room, self._strip
        painter.setPen(QColor(self._theme.muted))
        label = QRect(_SIDE_PX, room.top() - 2, _LABEL_PX - 8, room.height() + 4)
        painter.fillRect(QRect(room.left(), room.bottom(), room.width(), 1), self._theme.border)
        if strip is None:
            return
        side = Qt.AlignmentFlag.AlignRight
        painter.drawText(label, side | Qt.AlignmentFlag.AlignTop, strip.top_text)
        painter.drawText(label, side | Qt.AlignmentFlag.AlignBottom, strip.about)
        painter.fillRect(QRect(room.left(), room.top(), room.width(), 1), self._theme.border)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        step_px = room.width() / strip.n_places
        left_px = room.right() + 1 - step_px * len(strip.bars)
        colour = QColor(self._theme.accent)
        for index, bar in enumerate(strip.bars):
            if bar.value > 0:
                height_px = max(room.height() * min(bar.value / strip.top, 1.0), 1.0)
                width_px = max(step_px - 1.0, 1.0)
                x_px = left_px + index * step_px
                painter.fillRect(
                    QRectF(x_px, room.bottom() - height_px, width_px, height_px), colour
                )
        self._paint_current(painter, self._theme.text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        strip, room = self._strip, self._room
        if strip is not None and event.position().x() < room.left():
            show_tip(event.globalPosition().toPoint(), strip.scale_about, self)
            return
        if strip is None or not room.contains(event.position().toPoint()):
            QToolTip.hideText()
            return
        index = self._find_bar(event.position().toPoint())
        if index >= 0:
            show_tip(event.globalPosition().toPoint(), strip.bars[index].about, self)
        else:
            QToolTip.hideText()

    # -- the bars, for keys and screen readers

    def _count_bars(self) -> int:
        return len(self._strip.bars) if self._strip is not None else 0

    def _place_bar(self, bar: int) -> QRect:
        room, strip = self._room, self._strip
        if strip is None:
            return QRect()
        step_px = room.width() / strip.n_places
        left_px = room.right() + 1 - step_px * (len(strip.bars) - bar)
        return QRectF(left_px, room.top(), step_px, room.height()).toAlignedRect()

    def _find_bar(self, point: QPoint) -> int:
        room, strip = self._room, self._strip
        if strip is None or not room.contains(point):
            return -1
        from_end = int((room.right() + 1 - point.x()) // (room.width() / strip.n_places))
        return max(len(strip.bars) - 1 - from_end, -1)

    def _name_bar(self, bar: int) -> tuple[str, str]:
        name, _, value = self._tell_bar(bar).partition(": ")
        return name, value

    def _tell_bar(self, bar: int) -> str:
        return self._strip.bars[bar].about if self._strip is not None else ""
