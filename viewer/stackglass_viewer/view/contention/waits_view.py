"""Waiting threads view: each thread below its holder, and deadlocks spelled out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from stackglass_viewer.presenter.live.contention_empty_state import Emptiness
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (118, 130, 175, 190, 165, 105)  # of the model's columns
_STACK_WIDTHS_PX = (192, 148)
_TABLE_PX, _STACK_PX = 880, 360  # at first; the user may drag the border
_MOST_CYCLES = 4  # deadlocks spelled out, each in a line or two; the table has all of them
_ABOUT = (
    "For waits that began before the attach, the lock is known. Its holder is known only while the "
    "holder is in a with block of the lock."
)


class WaitsView(CompoundWidget):
    """A table below a text that names each deadlock, a cycle of threads that wait for each other.

    A double-click or Enter goes to the holder of the lock that the thread waits for.
    """

    counted = Signal(str)  # number of waiting threads in words, for the bar above
    remedy_chosen = Signal(object)  # Remedy

    def __init__(
        self, model: WaitsModel, empty: Emptiness, theme: Theme, parent: QWidget | None = None
    ) -> None:
        """``empty``: the text that is shown at first, in the place of the threads."""
        super().__init__(parent)
        self._empty = empty
        self._cycle = QLabel(self)
        self._cycle.setObjectName("deadlock")
        self._cycle.setWordWrap(True)
        self._cycle.setTextFormat(Qt.TextFormat.PlainText)
        self._cycle.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._cycle.hide()
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self._table = LazyTable(model, theme, _WIDTHS_PX, "Waiting threads", splitter)
        side = QWidget(splitter)
        self._about = QLabel(side)
        self._about.setObjectName("hint")
        self._about.setWordWrap(True)
        self._about.hide()
        self._stack = LazyTable(model.stack, theme, _STACK_WIDTHS_PX, "Stack", side)
        self._model = model
        beside = QVBoxLayout(side)
        beside.setContentsMargins(12, 10, 12, 10)
        beside.setSpacing(8)
        beside.addWidget(self._about)
        beside.addWidget(self._stack, 1)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([_TABLE_PX, _STACK_PX])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._cycle)
        column.addWidget(splitter, 1)
        self._table.row_chosen.connect(model.choose)
        self._table.row_chosen.connect(lambda: self._show_empty())
        self._table.row_activated.connect(lambda row: self._table.choose(model.holder_row(row)))
        self._table.pressed.connect(self._press)
        self.set_entry(self._table)
        model.summarised.connect(self._show)
        self._show_empty()

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)
        self._stack.set_theme(theme)

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether a row was chosen."""
        return self._table.clear_selection()

    def set_empty(self, empty: Emptiness) -> None:
        """Set the text that is shown in the place of the threads while no thread waits."""
        if empty != self._empty:
            self._empty = empty
            self._show_empty()

    def _press(self, index: int) -> None:
        self.remedy_chosen.emit(self._empty.remedies[index])

    def _show(self, cycles: tuple[str, ...], n_waiting: str) -> None:
        lines = [*cycles[:_MOST_CYCLES]]
        if len(cycles) > _MOST_CYCLES:
            lines.append(f"… and {len(cycles) - _MOST_CYCLES} more")
        self._cycle.setText(join_units("\n".join(lines)))
        self._cycle.setVisible(bool(cycles))
        about = (self._model.moment, _ABOUT if self._model.has_earlier else "")
        self._about.setText("\n\n".join(filter(None, about)))
        self._about.setVisible(any(about))
        self._show_empty()
        self.counted.emit(n_waiting)

    def _show_empty(self) -> None:
        words = tuple(remedy.words for remedy in self._empty.remedies)
        self._table.say(self._empty.title, self._empty.text, words)
        is_empty = not self._model.rowCount()
        self._stack.say("", "" if is_empty else "Select a thread to see its stack")
