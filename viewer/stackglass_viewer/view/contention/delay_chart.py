"""Delay chart: a histogram of delays, with a column for each power of two of nanoseconds."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.presenter.tables.delay_bars import DelayBars
from stackglass_viewer.view.widgets.painted_bars import PaintedBars
from stackglass_viewer.view.widgets.shown_text import join_units, show_tip
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_LEAST_PX, _HEIGHT_PX = 64, 132
_TEXT_PX = 52  # height of the text in place of columns
_LABELS_PX = 18  # height of the labels below the columns
_HEAD_PX = 18  # height of the value above the highest column
_MOST_PX = 28  # greatest width of a column
_GAP_PX = 2
_LABEL_GAP_PX = 6


class DelayChart(PaintedBars):
    """Columns with their numbers as tool tips; or a text that says why there are no columns."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Delays by length", parent)
        self._theme = theme
        self._font = fixed_font()
        self._font.setPixelSize(11)
        self._metrics = QFontMetricsF(self._font)
        self._bars = DelayBars("", (), "")
        self.setMouseTracking(True)
        self.setMinimumHeight(_LEAST_PX)
        self.setMaximumHeight(_HEIGHT_PX)

    def sizeHint(self) -> QSize:
        return QSize(300, _HEIGHT_PX)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_bars(self, bars: DelayBars) -> None:
        if bars != self._bars:
            self._bars = bars
            self.setMinimumHeight(_LEAST_PX if bars.bars else _TEXT_PX)
            self.setMaximumHeight(_HEIGHT_PX if bars.bars else _TEXT_PX)
            self.setAccessibleDescription(bars.about)
            self._follow_bars()

    @property
    def _step_px(self) -> float:
        n = len(self._bars.bars)
        return min(self.width() / n, _MOST_PX) if n else _MOST_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        bars, step_px = self._bars.bars, self._step_px
        if not bars:
            painter.setPen(QColor(self._theme.faint))
            where = self.rect().adjusted(0, 0, 0, -_LABELS_PX)
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            painter.drawText(where, side | Qt.TextFlag.TextWordWrap, join_units(self._bars.about))
            return
        bottom_px = self.height() - _LABELS_PX
        painter.fillRect(QRect(0, bottom_px, round(step_px * len(bars)), 1), self._theme.border)
        stride = self._choose_stride(step_px)
        for number, bar in enumerate(bars):
            left_px = round(number * step_px)
            width_px = max(round((number + 1) * step_px) - left_px - _GAP_PX, 1)
            full_px = bottom_px - _HEAD_PX
            height_px = max(round(full_px * bar.share), 2) if bar.count else 0
            box = QRect(left_px, bottom_px - height_px, width_px, height_px)
            painter.fillRect(box, QColor(self._theme.accent))
            label_px = self._metrics.horizontalAdvance(bar.label)
            if bar.size % stride == 0 and left_px + label_px <= self.width():
                painter.setPen(QColor(self._theme.muted))
                text = QRect(left_px, bottom_px + 3, round(label_px) + 2, _LABELS_PX - 3)
                painter.drawText(text, Qt.AlignmentFlag.AlignLeft, bar.label)
            if bar.share == 1.0:
                painter.setPen(QColor(self._theme.muted))
                value_px = round(self._metrics.horizontalAdvance(bar.value)) + 2
                at_px = min(max(left_px, 0), max(self.width() - value_px, 0))
                head = QRect(at_px, bottom_px - height_px - _HEAD_PX, value_px, _HEAD_PX)
                painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, bar.value)
        self._paint_current(painter, self._theme.text)

    def _choose_stride(self, step_px: float) -> int:
        """Return n, so that a label at every n-th column does not overlap the next label."""
        widest_px = max(self._metrics.horizontalAdvance(bar.label) for bar in self._bars.bars)
        return max(math.ceil((widest_px + _LABEL_GAP_PX) / step_px), 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self._find_bar(event.position().toPoint())
        if index >= 0:
            show_tip(event.globalPosition().toPoint(), self._bars.bars[index].about, self)
        else:
            QToolTip.hideText()

    # -- the bars, for keys and screen readers

    def _count_bars(self) -> int:
        return len(self._bars.bars)

    def _place_bar(self, bar: int) -> QRect:
        step_px = self._step_px
        left_px = round(bar * step_px)
        width_px = round((bar + 1) * step_px) - left_px
        return QRect(left_px, 0, width_px, self.height() - _LABELS_PX)

    def _find_bar(self, point: QPoint) -> int:
        bar = int(point.x() // self._step_px)
        return bar if 0 <= bar < len(self._bars.bars) else -1

    def _name_bar(self, bar: int) -> tuple[str, str]:
        name, _, value = self._bars.bars[bar].about.rpartition(": ")
        return name, value

    def _tell_bar(self, bar: int) -> str:
        return self._bars.bars[bar].about
