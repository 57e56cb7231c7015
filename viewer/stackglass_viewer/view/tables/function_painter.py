"""Cell painter of the function table: formatted values, shares as bars."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPen

from stackglass_viewer.model.units import format_change, format_share, format_value
from stackglass_viewer.presenter.tables.cell_texts import NOTHING
from stackglass_viewer.presenter.tables.top_model import Cell, TopColumn, TopModel
from stackglass_viewer.view.tables.cell_text import CellText, paint_bar
from stackglass_viewer.view.tables.painted_table import ROW_PX
from stackglass_viewer.view.widgets.theme import Theme

_TEXTS = (TopColumn.NAME, TopColumn.FILE)
_SHARES = (TopColumn.FLAT_SHARE, TopColumn.CUM_SHARE)


class FunctionPainter:
    """A ``CellPainter``."""

    def __init__(self, model: TopModel, theme: Theme) -> None:
        self._model = model
        self._text = CellText(ROW_PX)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._text_pen = QPen(QColor(theme.text))
        self._muted_pen = QPen(QColor(theme.muted))
        self._accent = QColor(theme.accent)
        self._grown, self._shrunk = QColor(theme.grown), QColor(theme.shrunk)

    def begin(self, painter: QPainter) -> None:
        painter.setFont(self._text.font)

    def paint(self, painter: QPainter, row: int, column: int, place: QRect) -> None:
        cell = self._model.cell(row, column)
        if cell is None:
            return
        kind = cell.column
        if kind in _SHARES:
            assert isinstance(cell.value, float)
            paint_bar(painter, place, cell.value, self._accent)
        elif cell.share:
            assert isinstance(cell.value, int)
            paint_bar(painter, place, cell.share, self._grown if cell.value > 0 else self._shrunk)
        text = _say(cell)
        is_file = kind is TopColumn.FILE
        pen = self._muted_pen if is_file or text == NOTHING else self._text_pen
        if kind in _TEXTS:
            self._text.paint_text(painter, place, text, pen, keeps_end=is_file)
        else:
            self._text.paint_number(painter, place, text, pen)


def _say(cell: Cell) -> str:
    value = cell.value
    if isinstance(value, str):
        return value
    if cell.column in _SHARES:
        return format_share(value)
    if not value:
        return NOTHING
    return (format_change if cell.is_change else format_value)(value, cell.unit)
