"""Horizontal bar chart: a label, a bar and a value for each row."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.units import format_change, format_value
from stackglass_viewer.presenter.tables.heap_model import SizeBars
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_PADDING_PX = 10
_BAR_ROW_PX = 24
_VALUE_PX = 84


class SizeChart(QWidget):
    """The chart. ``label_px``: the width of its labels; a longer label is cut at its beginning."""

    def __init__(self, theme: Theme, label_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label_px = label_px
        self._bars = SizeBars("", ())
        self._theme = theme
        self._font = fixed_font()
        self._metrics = QFontMetricsF(self._font)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_bars(self, bars: SizeBars) -> None:
        self._bars = bars
        self.setMinimumHeight(len(bars.bars) * _BAR_ROW_PX)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        room_px = self.width() - self._label_px - _VALUE_PX - 2 * _PADDING_PX
        middle = Qt.AlignmentFlag.AlignVCenter
        for number, bar in enumerate(self._bars.bars):
            top_px = number * _BAR_ROW_PX
            label = QRect(0, top_px, self._label_px, _BAR_ROW_PX)
            painter.setPen(QColor(self._theme.muted))
            mode = Qt.TextElideMode.ElideLeft
            text = self._metrics.elidedText(bar.label, mode, self._label_px)
            painter.drawText(label, Qt.AlignmentFlag.AlignRight | middle, text)
            left_px = self._label_px + _PADDING_PX
            width_px = max(1, round(room_px * bar.share)) if bar.value > 0 else 0
            box = QRect(left_px, top_px + 5, width_px, _BAR_ROW_PX - 10)
            painter.fillRect(box, QColor(self._theme.accent))
            value = QRect(left_px + room_px, top_px, _VALUE_PX, _BAR_ROW_PX)
            painter.setPen(QColor(self._theme.text))
            write = format_change if self._bars.is_change else format_value
            text = write(bar.value, bar.unit) if bar.value else "–"
            painter.drawText(value, Qt.AlignmentFlag.AlignRight | middle, text)
