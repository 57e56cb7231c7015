"""Lazy table: a table that is made once it is shown, with a placeholder while it has no rows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import TableModel
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.theme import Theme


class LazyTable(CompoundWidget):
    """A table that is made in the event loop's next turn: with a style sheet, making and showing a
    table takes 5 ms, and a view may have two tables."""

    row_chosen = Signal(int)  # by the user
    row_activated = Signal(int)  # by a double-click or Enter
    pressed = Signal(int)  # index of a button of the placeholder

    def __init__(
        self,
        model: TableModel,
        theme: Theme,
        widths_px: tuple[int, ...],
        name: str,
        parent: QWidget,
    ) -> None:
        """``model``: if it is a ``SortedModel``, the user may sort by a column.
        ``widths_px``: first widths of the model's columns. ``name``: for screen readers."""
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._widths_px = widths_px
        self._words = ("", "")
        self._buttons: tuple[str, ...] = ()
        self._shown_columns: Mapping[int, bool] = {}
        self._followed = -1  # row that the table is to select when it is made; -1 = none
        self._is_coming = False
        self._table: NumberTable | None = None
        self._note: EmptyNote | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # until the table takes its place
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._table is not None:
            self._table.set_theme(theme)

    def say(self, title: str, text: str, buttons: tuple[str, ...] = ()) -> None:
        """Set the placeholder's texts and buttons, and show the placeholder if the model has no
        rows now. Call this again when the rows have changed."""
        self._words, self._buttons = (title, text), buttons
        if self._note is not None:
            self._note.say(title, text, buttons)
            self._note.setVisible(not self._model.rowCount())

    def choose(self, row: int) -> None:
        """Select a row, as the user would; -1 = change nothing."""
        if self._table is not None and row >= 0:
            self._table.selectRow(row)

    def follow(self, row: int) -> None:
        """Select a row that was chosen elsewhere, without a signal; -1 changes nothing."""
        self._followed = row
        if self._table is not None:
            self._table.follow(row)

    def show_columns(self, is_shown: Mapping[int, bool]) -> None:
        """Hide columns without data, and show those with data again."""
        self._shown_columns = is_shown
        if self._table is not None:
            self._table.show_columns(is_shown)

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether a row was chosen."""
        return self._table is not None and self._table.clear_selection()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_coming:
            self._is_coming = True
            QTimer.singleShot(0, self, self._make)

    def _make(self) -> None:
        is_sortable = isinstance(self._model, SortedModel)
        table = NumberTable(self._model, self._theme, self._widths_px, self, is_sortable)
        table.setAccessibleName(self.accessibleName())
        table.row_chosen.connect(self.row_chosen)
        table.row_activated.connect(self.row_activated)
        self._table, self._note = table, EmptyNote(table)
        self._note.pressed.connect(self.pressed)
        self._column.addWidget(table)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("")
        self.set_entry(table)
        table.show_columns(self._shown_columns)
        table.follow(self._followed)
        self.say(*self._words, self._buttons)
