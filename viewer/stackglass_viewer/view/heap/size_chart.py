"""Horizontal bar chart: a label, a bar and a value for each row."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.units import format_change, format_value
from stackglass_viewer.presenter.tables.heap_model import SizeBars
from stackglass_viewer.view.widgets.painted_bars import PaintedBars
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_PADDING_PX = 10
_BAR_ROW_PX = 24
_VALUE_PX = 84
_NAME = "Sizes of blocks"


class SizeChart(PaintedBars):
    """The chart. ``label_px``: the width of its labels; a longer label is cut at its beginning."""

    bar_reached = Signal(QRect)  # area of the row that keys have reached

    def __init__(self, theme: Theme, label_px: int, parent: QWidget | None = None) -> None:
        super().__init__(_NAME, parent)
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
        self.setAccessibleName(bars.title or _NAME)
        self._follow_bars()

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
            text = self._name_bar(number)[1]
            painter.drawText(value, Qt.AlignmentFlag.AlignRight | middle, text)
        self._paint_current(painter, self._theme.accent)

    # -- the bars, for keys and screen readers

    def _count_bars(self) -> int:
        return len(self._bars.bars)

    def _place_bar(self, bar: int) -> QRect:
        return QRect(0, bar * _BAR_ROW_PX, self.width(), _BAR_ROW_PX)

    def _find_bar(self, point: QPoint) -> int:
        bar = point.y() // _BAR_ROW_PX
        return bar if 0 <= bar < len(self._bars.bars) else -1

    def _name_bar(self, bar: int) -> tuple[str, str]:
        shown = self._bars.bars[bar]
        write = format_change if self._bars.is_change else format_value
        return shown.label, write(shown.value, shown.unit) if shown.value else "–"

    def _on_bar_reached(self, place: QRect) -> None:
        self.bar_reached.emit(place)
