"""Number painter: the cell painter of most tables, with formatted numbers and bars of shares."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPen

from stackglass_viewer.presenter.tables.table_model import (
    NOTHING,
    Cell,
    CellKind,
    TableModel,
    say_cell,
)
from stackglass_viewer.view.tables.cell_text import CellText, paint_bar
from stackglass_viewer.view.tables.painted_table import ROW_PX
from stackglass_viewer.view.widgets.theme import Theme


class NumberPainter:
    """A ``CellPainter`` that formats a model's cells by their fields."""

    def __init__(self, model: TableModel, theme: Theme) -> None:
        self._model = model
        self._text = CellText(ROW_PX)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._text_pen = QPen(QColor(theme.text))
        self._muted_pen = QPen(QColor(theme.muted))
        self._bad_pen = QPen(QColor(theme.danger))
        self._accent = QColor(theme.accent)
        self._grown, self._shrunk = QColor(theme.grown), QColor(theme.shrunk)

    def begin(self, painter: QPainter) -> None:
        self._text.begin(painter)

    def paint(self, painter: QPainter, row: int, column: int, rect: QRect) -> float:
        cell = self._model.cell(row, column)
        if cell is None:
            return 0.0
        field, text = cell.field, say_cell(cell)
        is_place = field.kind is CellKind.PLACE
        pen = self._muted_pen if is_place or text == NOTHING else self._text_pen
        if cell.is_bad:
            pen = self._bad_pen
        if field.is_text:
            keeps_end = is_place or cell.keeps_end
            self._text.paint_text(painter, rect, text, pen, keeps_end)
            return 0.0
        share = cell.value if field.kind is CellKind.SHARE else cell.bar
        if share:
            assert not isinstance(share, str)
            paint_bar(painter, rect, abs(share), self._choose_bar_colour(cell))
        return self._text.paint_number(painter, rect, text, pen)

    def _choose_bar_colour(self, cell: Cell) -> QColor:
        if not cell.is_change or isinstance(cell.value, str):
            return self._accent
        return self._grown if cell.value > 0 else self._shrunk
