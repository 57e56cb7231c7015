"""Copied table: lets the user copy rows, and keeps their order while the user points at one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelection, Qt, QTimer
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.presenter.settings.copied_texts import COPIED, say_copied_rows
from stackglass_viewer.presenter.tables.copied_rows import copy_rows
from stackglass_viewer.presenter.tables.table_model import TableModel
from stackglass_viewer.view.tables.number_painter import NumberPainter
from stackglass_viewer.view.tables.painted_table import CellPainter, PaintedTable
from stackglass_viewer.view.widgets.copied_text import copy_text
from stackglass_viewer.view.widgets.theme import Theme

ABOUT_HELD = (
    "Rows stay where they are while the pointer is over them, or while one is selected and keys go "
    "to the table. A click on a column's head sorts them, Esc deselects the row."
)


class CopiedTable(PaintedTable):
    """A table whose model keeps its order while the pointer is over the rows, the menu is open, or
    a row is selected and the table has the focus. Copied names are whole, even if shown cut."""

    def __init__(
        self,
        model: TableModel,
        theme: Theme,
        parent: QWidget | None,
        cells: CellPainter | None = None,
    ) -> None:
        """``cells``: None = ``NumberPainter``."""
        super().__init__(cells or NumberPainter(model, theme), theme, parent)
        self._copied = model
        self._is_pointed = False  # the pointer is over the rows
        self._has_menu = False

    def copy(self, is_whole: bool) -> None:
        """Copy the current row, or if ``is_whole`` all rows with their head, to the clipboard."""
        chosen = self.currentIndex()
        if not is_whole and not chosen.isValid():
            return
        columns = self.list_copied()
        rows = range(self._copied.rowCount()) if is_whole else (chosen.row(),)
        text = copy_rows(self._copied, rows, columns, has_head=is_whole)
        copy_text(text, say_copied_rows(len(rows)), self)

    def list_copied(self) -> list[int]:
        """Return the columns that are copied: those that are shown."""
        columns = range(self._copied.columnCount())
        return [column for column in columns if not self.isColumnHidden(column)]

    def copy_cell(self, row: int, column: int) -> None:
        """Copy one cell to the clipboard."""
        text = copy_rows(self._copied, (row,), (column,), has_head=False)
        copy_text(text, COPIED["cell"], self)

    # -- the order of rows is kept while the user points at one

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._is_pointed = event.type() == QEvent.Type.Enter
            self._hold()
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._hold()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._hold()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._is_pointed = False
        self._hold()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self._hold()

    def _hold(self) -> None:
        has_row = self.hasFocus() and self.selectionModel().hasSelection()
        self._copied.hold(self._is_pointed or has_row or self._has_menu)

    def _end_menu(self) -> None:
        """Let rows move again, after the chosen command has read its row."""
        self._has_menu = False
        self._hold()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self._copied.rowCount():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        at = event.globalPos()
        index = self.indexAt(self.viewport().mapFromGlobal(at))
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()  # Qt's place is off by the height of the header
            self.scrollTo(index)
            at = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        row, column = index.row(), index.column()
        cell = menu.addAction("Copy cell", lambda: self.copy_cell(row, column))
        cell.setEnabled(index.isValid())
        whole = menu.addAction("Copy row\tCtrl+C", lambda: self.copy(is_whole=False))
        whole.setEnabled(self.currentIndex().isValid())
        menu.addAction("Copy all rows\tCtrl+Shift+C", lambda: self.copy(is_whole=True))
        self.add_actions(menu, row)
        self._has_menu = True
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self, self._end_menu))
        menu.popup(at)

    def add_actions(self, menu: QMenu, row: int) -> None:
        """Add a subclass's commands for a row to ``menu``; −1 = there is no row."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers()
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy(is_whole=False)
        elif event.key() == Qt.Key.Key_C and modifiers & both == both:
            self.copy(is_whole=True)
        else:
            super().keyPressEvent(event)
