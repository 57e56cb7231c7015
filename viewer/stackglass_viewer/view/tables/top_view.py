"""Function table view: a filter line above a table of functions with sortable columns."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.document.flame_scene import FrameDetails
from stackglass_viewer.presenter.document.function_details import details_of_function
from stackglass_viewer.presenter.tables.table_model import ORDER_HELD
from stackglass_viewer.presenter.tables.top_model import TopColumn, TopModel
from stackglass_viewer.view.tables.column_sizing import ColumnSizing
from stackglass_viewer.view.tables.copied_table import ABOUT_HELD, CopiedTable
from stackglass_viewer.view.tables.header import TableHeader
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.search_field import SearchField
from stackglass_viewer.view.widgets.theme import Theme

_FILTER_DELAY_MS = 120
_WIDTHS_PX = {
    TopColumn.CALLS: 92,
    TopColumn.CUM_BEFORE: 112,
    TopColumn.CUM_AFTER: 104,
    TopColumn.FLAT: 80,
    TopColumn.FLAT_SHARE: 72,
    TopColumn.CUM: 80,
    TopColumn.CUM_SHARE: 72,
    TopColumn.NAME: 230,  # these two share what is left
    TopColumn.FILE: 170,
}
_FILES_FROM_PX = 360  # width of names and files together from which on files are shown
_NAMES_PX = 120  # below this width of names a column of numbers is hidden
_LEAVING = (
    ((TopColumn.CUM_BEFORE, TopColumn.CUM_AFTER), _FILES_FROM_PX),
    ((TopColumn.CALLS,), _NAMES_PX),
    ((TopColumn.FLAT_SHARE,), _NAMES_PX),
    ((TopColumn.CUM_SHARE,), _NAMES_PX),
    ((TopColumn.CUM,), _NAMES_PX),
)  # (columns, width of texts below which they are hidden), in the order in which they are hidden
_LEAST_SHARE = 0.36  # of a text column's first width: fits beside the graph in 1024 pixels
_LEAVING_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Down)  # keys that lead from the filter to the table
_ACTIONS = (
    ("Callers and callees\tC", "sandwich"),
    ("Source, line by line\tL", "source"),
    ("Open in editor\tE", "editor"),
)  # (text, name) of each command in a row's menu
_KEYS = {int(Qt.Key.Key_C): "sandwich", int(Qt.Key.Key_L): "source", int(Qt.Key.Key_E): "editor"}
_NO_MATCH = ("No match", "No function or file matches the filter.")
# If a table lacks a column of shares, it is sorted by the column of values.
_VALUE_OF = {TopColumn.FLAT_SHARE: TopColumn.FLAT, TopColumn.CUM_SHARE: TopColumn.CUM}


class _FunctionTable(CopiedTable):
    """The table of functions; emits ``resized`` for the layout of its columns."""

    resized = Signal()
    action_requested = Signal(str, int)  # sandwich, source or editor; row

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def add_actions(self, menu: QMenu, row: int) -> None:
        if row < 0:
            return
        menu.addSeparator()
        for text, name in _ACTIONS:
            action = menu.addAction(text)
            action.triggered.connect(
                lambda _checked=False, name=name: self.action_requested.emit(name, row)
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        name, row = _KEYS.get(event.key(), ""), self.currentIndex().row()
        if name and row >= 0 and not event.modifiers():
            self.action_requested.emit(name, row)
        else:
            super().keyPressEvent(event)

    def list_copied(self) -> list[int]:
        """Return all columns: columns are hidden only for lack of room."""
        return list(range(self._copied.columnCount()))


class TopView(CompoundWidget):
    """Shows the functions that match the filter, and emits the selected function."""

    function_selected = Signal(int)  # function; -1 = none
    function_activated = Signal(int)  # double-click or Enter
    filter_changed = Signal(str)  # a regular expression
    action_requested = Signal(str, int)  # sandwich, source or editor; function

    def __init__(self, model: TopModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._is_following = False  # True while select_function runs, which emits nothing
        self._selected = -1
        self._filter = SearchField(self)
        self._filter.setPlaceholderText("Filter functions and files")
        self._filter.setClearButtonEnabled(True)
        self._filter.setAccessibleName("Filter functions")
        self._count = QLabel(self)
        self._count.setObjectName("hint")
        self._placeholder = ("Nothing here", "")
        self._note: EmptyNote | None = None  # made when it is first needed
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_FILTER_DELAY_MS)
        self._table = _FunctionTable(model, theme, self)
        self._header = TableHeader(theme, self._find_width, self._table)
        self._table.setHorizontalHeader(self._header)
        self._table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._table.setAccessibleName("Functions")
        self._table.setModel(model)
        self._sizing = ColumnSizing(self._table, (), (), _LEAST_SHARE)
        self._table.resized.connect(self._fit)
        self._table.width_lacked.connect(self._sizing.widen)
        self._table.width_lacked.connect(self._fit)
        self._table.action_requested.connect(
            lambda name, row: self.action_requested.emit(name, model.function_at(row))
        )
        self.set_entry(self._table)

        top = QHBoxLayout()
        top.setContentsMargins(8, 6, 12, 6)
        top.setSpacing(10)
        top.addWidget(self._filter, 1)
        top.addWidget(self._count)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(top)
        outer.addWidget(self._table, 1)

        self._filter.textChanged.connect(self._delay.start)
        self._delay.timeout.connect(lambda: self.filter_changed.emit(self._filter.text()))
        self._table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self._table.doubleClicked.connect(self._on_activated)
        model.modelReset.connect(self._on_reset)
        model.pattern_refused.connect(self._on_pattern_refused)
        model.arranged.connect(self._select_again)
        model.order_held.connect(self._show_count)
        for changed in (model.rowsInserted, model.rowsRemoved, model.layoutChanged):
            changed.connect(self._show_count)
        self._on_reset()

    def _find_width(self, section: int) -> int:
        columns = self._model.columns
        return _WIDTHS_PX[columns[section] if section < len(columns) else TopColumn.FILE]

    def set_theme(self, theme: Theme) -> None:
        self._header.theme = theme
        self._table.set_theme(theme)
        self._header.viewport().update()

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts of an empty table."""
        self._placeholder = (title, text)
        self._show_note()

    def select_function(self, function: int) -> None:
        """Select a function that was selected elsewhere, without a signal; -1 = none."""
        self._selected = function
        self._is_following = True
        row = self._model.row_of(function) if function >= 0 else -1
        if row >= 0:
            if row != self._table.currentIndex().row():
                self._table.selectRow(row)
                self._table.scrollTo(self._model.index(row, 0))
        else:
            self._table.clearSelection()
            self._table.setCurrentIndex(QModelIndex())
        self._is_following = False

    def find_details(self) -> FrameDetails | None:
        """Return the details of the selected function; None = none is selected."""
        table = self._model.table
        if table is None or not 0 <= self._selected < table.n_functions:
            return None
        return details_of_function(table, self._selected)

    @property
    def shows_selection(self) -> bool:
        """Whether the selected function has a row: the filter may leave it out."""
        return self._selected >= 0 and self._model.row_of(self._selected) >= 0

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether a function was selected."""
        if self._selected < 0:
            return False
        self.select_function(-1)
        self.function_selected.emit(-1)
        return True

    def clear_filter(self) -> bool:
        """Clear the filter; returns whether there was one."""
        was_filtered = bool(self._filter.text())
        self._filter.clear()
        return was_filtered

    def _select_again(self) -> None:
        """Select the chosen function, which the filter may have left out until now."""
        if self._selected >= 0 and not self._table.currentIndex().isValid():
            self.select_function(self._selected)

    def set_filter(self, pattern: str) -> None:
        """Show only functions with a name or file that matches, and scroll up; "" = all."""
        self._filter.setText(pattern)
        self._table.scrollToTop()

    def focus_filter(self) -> None:
        self._filter.setFocus()
        self._filter.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_activated(self._table.currentIndex())
        elif event.key() in _LEAVING_KEYS and self._filter.hasFocus():
            self._table.setFocus()
        else:
            super().keyPressEvent(event)

    def _on_reset(self) -> None:
        columns = self._model.columns
        texts = [number for number, column in enumerate(columns) if column.is_text]
        for number in range(len(columns)):
            self._table.setColumnHidden(number, False)
        self._sizing.begin([_WIDTHS_PX[column] for column in columns], texts)
        self._fit()
        wish = self._model.wish
        down = Qt.SortOrder.DescendingOrder if wish.is_descending else Qt.SortOrder.AscendingOrder
        self._table.setSortingEnabled(False)
        column = wish.column
        if column not in self._model.columns:
            column = _VALUE_OF.get(column, column)
        if column in self._model.columns:
            self._header.setSortIndicator(self._model.columns.index(column), down)
        self._header.setSortIndicatorShown(True)
        self._header.sortIndicatorChanged.connect(self._on_sort, Qt.ConnectionType.UniqueConnection)
        self._show_count()

    def _fit(self) -> None:
        """Hide columns for which there is no room.

        The values before and after of a comparison are hidden first, then files, then other
        numbers. Names stay, and so does the column by which the rows are sorted.
        """
        columns, kept = self._model.columns, self._model.wish.column
        widths_px = {
            column: self._table.columnWidth(number) or _WIDTHS_PX[column]
            for number, column in enumerate(columns)
            if not column.is_text
        }
        left_px = self._table.viewport().width() - sum(widths_px.values())
        shown = dict.fromkeys(columns, True)
        for leaving, wanted_px in _LEAVING:
            if left_px < wanted_px:
                hidden = [each for each in leaving if each in shown and each is not kept]
                shown.update(dict.fromkeys(hidden, False))
                left_px += sum(widths_px[each] for each in hidden)
        shown[TopColumn.FILE] = left_px >= _FILES_FROM_PX
        self._sizing.show({columns.index(column): is_shown for column, is_shown in shown.items()})
        self._sizing.share()

    def _on_sort(self, section: int, order: Qt.SortOrder) -> None:
        self._model.sort(section, order)

    def _show_count(self) -> None:
        shown = self._model.rowCount()
        text = "1 function" if shown == 1 else f"{format_count(shown)} functions"
        is_held = self._model.is_order_held
        self._count.setText(f"{text}  ·  {ORDER_HELD}" if is_held else text)
        self._count.setToolTip(ABOUT_HELD if is_held else "")
        self._show_note()

    def _show_note(self) -> None:
        is_empty = self._model.is_empty
        if is_empty:
            if self._note is None:
                self._note = EmptyNote(self._table)
            is_filtered = bool(self._filter.text())
            self._note.say(*(_NO_MATCH if is_filtered else self._placeholder))
        if self._note is not None:
            self._note.setVisible(is_empty)

    def _on_row_changed(self, current: QModelIndex) -> None:
        if not self._is_following and current.isValid():
            self._selected = self._model.function_at(current.row())
            self.function_selected.emit(self._selected)

    def _on_activated(self, index: QModelIndex) -> None:
        if index.isValid():
            self.function_activated.emit(self._model.function_at(index.row()))

    def _on_pattern_refused(self, reason: str) -> None:
        self._filter.setProperty("state", "bad" if reason else "")
        self._filter.setToolTip(reason)
        self._filter.style().unpolish(self._filter)
        self._filter.style().polish(self._filter)
