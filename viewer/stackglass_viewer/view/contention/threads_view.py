"""All threads view: threads with their tasks and greenlets now, and the stack of the chosen one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from stackglass_viewer.presenter.live.contention_empty_state import Emptiness
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.search_field import SearchField
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (230, 150, 84, 180, 180, 110, 180)  # of the model's columns
_STACK_WIDTHS_PX = (192, 148)
_TABLE_PX, _STACK_PX = 940, 340  # at first; the user may drag the border
_SEARCH_PX = 320


class ThreadsView(CompoundWidget):
    """A tree of threads, tasks and greenlets. A double-click or Enter folds or unfolds a row."""

    def __init__(
        self, model: NowModel, empty: Emptiness, theme: Theme, parent: QWidget | None = None
    ) -> None:
        """``empty``: the text that is shown at first, in the place of the rows."""
        super().__init__(parent)
        self._model = model
        self._empty = empty
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        left = QWidget(splitter)
        self._search = SearchField(left)
        self._search.setPlaceholderText("Search names, states, functions")
        self._search.setAccessibleName("Search threads, tasks and greenlets")
        self._search.setToolTip("Show only rows that contain this text (Ctrl+F)")
        self._search.setClearButtonEnabled(True)
        self._search.setMaximumWidth(_SEARCH_PX)
        self._table = LazyTable(model, theme, _WIDTHS_PX, "Threads, tasks and greenlets", left)
        self._count = ElidedLabel(Qt.TextElideMode.ElideRight, left)
        self._count.setObjectName("hint")
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 8)
        head.setSpacing(12)
        head.addWidget(self._search, 1)
        head.addWidget(self._count, 2)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._table, 1)
        self._stack = LazyTable(model.stack, theme, _STACK_WIDTHS_PX, "Stack", splitter)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([_TABLE_PX, _STACK_PX])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter, 1)
        self._table.row_chosen.connect(model.choose)
        self._table.row_chosen.connect(lambda: self._show_empty())
        self._table.row_activated.connect(model.toggle)
        self._search.textChanged.connect(model.set_search)
        model.summary_changed.connect(self._show_summary)
        self.set_entry(self._table)
        self._show_empty()

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)
        self._stack.set_theme(theme)

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether a row was chosen."""
        return self._table.clear_selection()

    def set_empty(self, empty: Emptiness) -> None:
        """Set the text that is shown in the place of the rows while there are none."""
        if empty != self._empty:
            self._empty = empty
            self._show_empty()

    def _show_summary(self, text: str) -> None:
        self._count.set_text(text)
        self._show_empty()

    def focus_search(self) -> None:
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def clear_search(self) -> bool:
        """Clear the search; returns whether there was one."""
        was_there = bool(self._search.text())
        self._search.clear()
        return was_there

    def _show_empty(self) -> None:
        self._table.say(self._empty.title, self._empty.text)
        is_empty = not self._model.rowCount()
        self._stack.say("", "" if is_empty else "Select a row to see its stack")
