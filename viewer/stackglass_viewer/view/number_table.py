"""A table of numbers: rows to choose, columns to sort by, in the window's own looks."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.table_model import TableModel
from stackglass_viewer.view.number_painter import NumberPainter
from stackglass_viewer.view.painted_table import PaintedTable
from stackglass_viewer.view.table_header import TableHeader
from stackglass_viewer.view.theme import Theme


class NumberTable(PaintedTable):
    """The last column takes what is left."""

    row_chosen = Signal(int)  # by the user
    row_activated = Signal(int)  # by a double-click or Enter

    def __init__(
        self,
        model: TableModel,
        theme: Theme,
        widths_px: tuple[int, ...],
        parent: QWidget,
        is_sortable: bool = True,
    ) -> None:
        """``widths_px`` of the model's columns, at first."""
        super().__init__(NumberPainter(model, theme), theme, parent)
        self._model = model
        self._is_following = False  # a row that was chosen elsewhere is not sent back
        self.setModel(model)
        self._header = TableHeader(theme, lambda section: widths_px[section], self)
        self.setHorizontalHeader(self._header)
        for column, width_px in enumerate(widths_px):
            self.setColumnWidth(column, width_px)
        if is_sortable:
            self._header.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
            self.setSortingEnabled(True)
        else:
            self._header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
            self._header.setSectionsClickable(False)
        model.column_sorted.connect(self._show_sorting)
        self.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.doubleClicked.connect(lambda index: self.row_activated.emit(index.row()))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._header.theme = theme
        self._header.viewport().update()

    def follow(self, row: int) -> None:
        """Show a row that was chosen elsewhere, without telling; -1 = none."""
        if row < 0 or row == self.currentIndex().row():
            return
        self._is_following = True
        self.selectRow(row)
        self.scrollTo(self._model.index(row, 0))
        self._is_following = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _show_sorting(self, column: int) -> None:
        """Without asking for it again."""
        self._header.blockSignals(True)
        self._header.setSortIndicator(column, Qt.SortOrder.DescendingOrder)
        self._header.blockSignals(False)
        self._header.viewport().update()

    def _on_row_changed(self, current: QModelIndex) -> None:
        if current.isValid() and not self._is_following:
            self.row_chosen.emit(current.row())
