"""Cell painter of the number tables: formatted numbers, shares as bars."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPen

from stackglass_viewer.presenter.tables.cell_texts import say_cell
from stackglass_viewer.presenter.tables.table_model import CellKind, TableModel
from stackglass_viewer.view.tables.cell_text import CellText, paint_bar
from stackglass_viewer.view.tables.painted_table import ROW_PX
from stackglass_viewer.view.widgets.theme import Theme


class NumberPainter:
    """A ``CellPainter``."""

    def __init__(self, model: TableModel, theme: Theme) -> None:
        self._model = model
        self._text = CellText(ROW_PX)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._text_pen = QPen(QColor(theme.text))
        self._muted_pen = QPen(QColor(theme.muted))
        self._bad_pen = QPen(QColor(theme.danger))
        self._accent = QColor(theme.accent)

    def begin(self, painter: QPainter) -> None:
        painter.setFont(self._text.font)

    def paint(self, painter: QPainter, row: int, column: int, place: QRect) -> None:
        cell = self._model.cell(row, column)
        if cell is None:
            return
        kind = cell.field.kind
        share = cell.value if kind is CellKind.SHARE else cell.bar
        if share:
            assert not isinstance(share, str)
            paint_bar(painter, place, share, self._accent)
        is_place = kind is CellKind.PLACE
        pen = self._muted_pen if is_place else self._text_pen
        if cell.is_bad:
            pen = self._bad_pen
        if cell.field.is_text:
            keeps_end = is_place or cell.keeps_end
            self._text.paint_text(painter, place, say_cell(cell), pen, keeps_end)
        else:
            self._text.paint_number(painter, place, say_cell(cell), pen)
