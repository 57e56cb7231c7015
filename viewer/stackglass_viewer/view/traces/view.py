"""Trace view: a table of distinct stacks with values and labels, and the chosen stack's lines."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from stackglass_viewer.presenter.document.trace_choice import TraceDetails
from stackglass_viewer.presenter.settings.copied_texts import COPIED
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.trace_model import TraceField, TraceModel
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.copied_text import copy_text
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.search_field import SearchField
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (92, 76, 420, 180)  # of the model's columns
_STACK_WIDTHS_PX = (200, 140)
_TABLE_PX, _DETAILS_PX = 820, 360  # at first; the user may drag the border
_SIDE_FROM_PX = 640  # from this width on, there is room for the details beside the table
_SEARCH_PX, _LEAST_SEARCH_PX = 320, 160
_LEAST_PX = 65  # least height of the details
_WORDS_PX = 200  # from this height on, there is room for the texts above the stack
_LISTING = ("Listing stacks…", "The values of equal stacks are being added up.")
_LABELS = list(TraceField).index(TraceField.LABELS)


class TraceView(CompoundWidget):
    """Shows the stacks that match the search, and emits the user's choices."""

    pattern_changed = Signal(str)
    row_chosen = Signal(int)  # -1 = none
    stack_activated = Signal(object)  # functions, leaf first: show it in the flame graph
    name_activated = Signal(str)  # function that was double-clicked

    def __init__(
        self,
        model: TraceModel,
        stack: StackModel,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        """``stack``: the model of the chosen trace's lines."""
        super().__init__(parent)
        self._model, self._lines = model, stack
        self._placeholder = ("Nothing here", "")
        self._search = SearchField(self)
        self._search.setPlaceholderText("Search functions, files and labels")
        self._search.setAccessibleName("Search stacks")
        self._search.setToolTip("Show only the stacks with a match of this pattern (Ctrl+F)")
        self._search.setClearButtonEnabled(True)
        self._search.setMaximumWidth(_SEARCH_PX)
        self._search.setMinimumWidth(_LEAST_SEARCH_PX)
        self._count = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._count.setObjectName("hint")
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self._table = _TraceTable(model, theme, _WIDTHS_PX, splitter)
        self._table.setAccessibleName("Traces")
        self._empty = EmptyNote(self._table)
        side = self._side = QWidget(splitter)
        side.setMinimumHeight(_LEAST_PX)
        self._title = ElidedLabel(Qt.TextElideMode.ElideRight, side)
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, side)
        self._about.setObjectName("hint")
        self._stack = LazyTable(stack, theme, _STACK_WIDTHS_PX, "Stack", side)
        self._stack.say("", "Select a row to see its stack")
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addWidget(self._title)
        column.addWidget(self._about)
        column.addWidget(self._stack, 1)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([_TABLE_PX, _DETAILS_PX])
        self.set_entry(self._table)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 8)
        head.setSpacing(8)
        head.addWidget(self._search, 1)
        head.addWidget(self._count, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(splitter, 1)
        self._search.textChanged.connect(self.pattern_changed)
        self._search.returnPressed.connect(self._table.setFocus)
        self._table.row_chosen.connect(self.row_chosen)
        self._table.row_activated.connect(self._on_activated)
        self._stack.row_activated.connect(
            lambda row: self.name_activated.emit(self._lines.name_at(row))
        )
        model.summary_changed.connect(self._show_summary)
        self._show_summary("")

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)
        self._stack.set_theme(theme)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts of an empty table."""
        self._placeholder = (title, text)
        self._show_empty()

    def focus_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def clear_search(self) -> bool:
        """Clear the search; returns whether there was one."""
        was_there = bool(self._search.text())
        self._search.clear()
        return was_there

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether there was one."""
        return self._table.clear_selection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        has_room = self.height() >= _WORDS_PX
        self._side.setVisible(self.width() >= _SIDE_FROM_PX)
        self._title.setVisible(has_room)
        self._about.setVisible(has_room and bool(self._about.whole))

    def show_details(self, details: TraceDetails) -> None:
        """Show the details of the chosen trace."""
        self._title.set_text(details.title)
        self._about.set_text(details.labels)
        self._fit()
        is_hint = self._model.rowCount() and not details.title
        self._stack.say("", "Select a row to see its stack" if is_hint else "")

    def _show_summary(self, text: str) -> None:
        self._count.set_text(text if self._model.rowCount() or self._search.text() else "")
        self._table.show_columns({_LABELS: self._model.has_labels})
        self._show_empty()
        self.row_chosen.emit(self._table.currentIndex().row())  # the row's number may have changed

    def _show_empty(self) -> None:
        words = self._placeholder if self._model.is_known else _LISTING
        if self._search.text() and self._model.has_traces:
            words = ("No match", "No stack has a function, a file or a label that matches.")
        self._empty.say(*words)
        self._empty.setVisible(not self._model.rowCount())

    def _on_activated(self, row: int) -> None:
        self.stack_activated.emit(self._model.name_stack(row))


class _TraceTable(NumberTable):
    """The table of stacks. Its menu can also copy a whole stack, and show it in the graph."""

    def add_actions(self, menu: QMenu, row: int) -> None:
        menu.addSeparator()
        model = self.model()
        assert isinstance(model, TraceModel)
        stack = menu.addAction(
            "Copy stack, one function a line",
            lambda: copy_text(model.write_trace(row), COPIED["stack"], self),
        )
        show = menu.addAction(
            "Show in the flame graph\tEnter", lambda: self.row_activated.emit(row)
        )
        for action in (stack, show):
            action.setEnabled(row >= 0)
