"""Number table: a table of a ``TableModel``, with rows to choose and columns to sort by."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.tables.table_model import FIELD_ROLE, TableModel
from stackglass_viewer.view.tables.column_sizing import ColumnSizing
from stackglass_viewer.view.tables.copied_table import CopiedTable
from stackglass_viewer.view.tables.header import TableHeader
from stackglass_viewer.view.widgets.theme import Theme


class NumberTable(CopiedTable):
    """A table in which columns of texts share the width that columns of numbers leave."""

    row_chosen = Signal(int)  # by the user; -1 = none
    row_activated = Signal(int)  # by a double-click or Enter

    def __init__(
        self,
        model: TableModel,
        theme: Theme,
        widths_px: tuple[int, ...],
        parent: QWidget,
        is_sortable: bool = True,
    ) -> None:
        """``widths_px``: first widths of the model's columns."""
        super().__init__(model, theme, parent)
        self._model = model
        self._is_following = False  # True while follow selects a row, which emits nothing
        self.setModel(model)
        # Else Qt would make the first row current, but not selected, when the table gets the focus.
        self.setCurrentIndex(QModelIndex())
        self._header = TableHeader(theme, lambda section: widths_px[section], self)
        self.setHorizontalHeader(self._header)
        for column, width_px in enumerate(widths_px):
            self.setColumnWidth(column, width_px)
        fields = [
            model.headerData(column, Qt.Orientation.Horizontal, FIELD_ROLE)
            for column in range(model.columnCount())
        ]
        texts = [column for column, field in enumerate(fields) if field.is_text]
        self._sizing = ColumnSizing(self, widths_px, texts)
        self.width_lacked.connect(self._sizing.widen)
        if is_sortable:
            self._header.setSortIndicator(*model.sorting)  # which the next line sorts by
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

    def show_columns(self, is_shown: Mapping[int, bool]) -> None:
        """Hide columns without data, and show those with data again."""
        self._sizing.show(is_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sizing.share()

    def follow(self, row: int) -> None:
        """Select a row that was chosen elsewhere, without a signal; -1 changes nothing."""
        if row < 0 or row == self.currentIndex().row():
            return
        self._is_following = True
        self.selectRow(row)
        self.scrollTo(self._model.index(row, 0))
        self._is_following = False

    def clear_selection(self) -> bool:
        """Clear the selection and emit -1; returns False if no row was chosen."""
        if not self.selectionModel().hasSelection():
            return False
        self.setCurrentIndex(QModelIndex())
        self.row_chosen.emit(-1)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _show_sorting(self, column: int) -> None:
        """Show the column that the model is sorted by, without sorting it again."""
        self._header.blockSignals(True)
        self._header.setSortIndicator(column, Qt.SortOrder.DescendingOrder)
        self._header.blockSignals(False)
        self._header.viewport().update()

    def _on_row_changed(self, current: QModelIndex) -> None:
        if current.isValid() and not self._is_following:
            self.row_chosen.emit(current.row())
