"""Lazy table: a table that is made after it is first shown, with a placeholder without rows."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from stackglass_viewer.presenter.tables.table_model import TableModel
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.theme import Theme


class LazyTable(QWidget):
    """The table is made in the event loop's next turn: with a style sheet, making and showing a
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
        """``widths_px``: first widths of the model's columns. ``name``: for screen readers."""
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._widths_px = widths_px
        self._name = name
        self._words = ("", "")
        self._buttons: tuple[str, ...] = ()
        self._is_coming = False
        self._table: NumberTable | None = None
        self._note: EmptyNote | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._table is not None:
            self._table.set_theme(theme)

    def say(self, title: str, text: str, buttons: tuple[str, ...] = ()) -> None:
        """Set the placeholder's texts and buttons. It is shown if the model has no rows now, so
        call this again when the rows have changed."""
        self._words, self._buttons = (title, text), buttons
        if self._note is not None:
            self._note.say(title, text, buttons)
            self._note.setVisible(not self._model.rowCount())

    def choose(self, row: int) -> None:
        """Select a row, as the user would; -1 = change nothing."""
        if self._table is not None and row >= 0:
            self._table.selectRow(row)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_coming:
            self._is_coming = True
            QTimer.singleShot(0, self, self._make)

    def _make(self) -> None:
        table = NumberTable(self._model, self._theme, self._widths_px, self, is_sortable=False)
        table.setAccessibleName(self._name)
        table.row_chosen.connect(self.row_chosen)
        table.row_activated.connect(self.row_activated)
        self._table, self._note = table, EmptyNote(table)
        self._note.pressed.connect(self.pressed)
        self._column.addWidget(table)
        self.setFocusProxy(table)
        self.say(*self._words, self._buttons)
