"""Cell painter of annotated source: a line's background shows its flat value."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter

from stackglass_viewer.presenter.tables.source_model import SourceField, SourceModel
from stackglass_viewer.view.tables.number_painter import NumberPainter
from stackglass_viewer.view.widgets.theme import Theme

MOST_ALPHA = 120
"""Alpha of the costliest line's background, of 255: the line's text can still be read."""
_LEAST_ALPHA = 18
_MARK_PX = 3  # width of the mark beside the lines of the chosen function
_TEXT_COLUMN = list(SourceField).index(SourceField.TEXT)


class SourcePainter(NumberPainter):
    """A ``CellPainter`` that also tints lines by their value and marks the chosen function."""

    def __init__(self, model: SourceModel, theme: Theme) -> None:
        super().__init__(model, theme)
        self._source = model

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._mark = QColor(theme.accent)

    def paint(self, painter: QPainter, row: int, column: int, rect: QRect) -> float:
        heat = self._source.heat_at(row)
        if heat:
            background = QColor(self._grown if heat > 0 else self._shrunk)
            background.setAlpha(round(_LEAST_ALPHA + abs(heat) * (MOST_ALPHA - _LEAST_ALPHA)))
            painter.fillRect(rect, background)
        if column == _TEXT_COLUMN and self._source.is_chosen(row):
            mark = QRect(rect.left(), rect.top(), _MARK_PX, rect.height())
            painter.fillRect(mark, self._mark)
        return super().paint(painter, row, column, rect)
