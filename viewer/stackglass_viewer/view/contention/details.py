"""Details beside the contention table: a row's stack, its holders or waiters, and its delays."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.presenter.tables.contention_model import ContentionModel, RowDetails
from stackglass_viewer.presenter.tables.delay_bars import describe_delays
from stackglass_viewer.view.contention.delay_chart import DelayChart
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

_STACK, _PAIRS = "stack", "pairs"
_STACK_WIDTHS_PX = (150, 115)
_LIST_PX = 84  # at least: two rows
_PAIR_WIDTHS_PX = (72, 56, 130)


class ContentionDetails(QWidget):
    """Shows the details of the row that is chosen in the table.

    A double-click on a holder or waiter emits its stack. A double-click on a line of the stack
    emits the line's function.
    """

    side_activated = Signal(int)  # stack of the holder or waiter: the engine's node
    name_activated = Signal(str)  # function

    def __init__(
        self, model: ContentionModel, theme: Theme, is_file: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._is_file = is_file
        self._title = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        self._which = SegmentedControl([(_STACK, "Stack"), (_PAIRS, "Held by")], self)
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._about.setObjectName("hint")
        self._lists = QStackedWidget(self)
        self._lists.setMinimumHeight(_LIST_PX)
        self._stack = LazyTable(model.stack, theme, _STACK_WIDTHS_PX, "Stack", self._lists)
        name = "Holders or waiters"
        self._pairs = LazyTable(model.pairs, theme, _PAIR_WIDTHS_PX, name, self._lists)
        for each in (self._stack, self._pairs):
            self._lists.addWidget(each)
        self._delays_title = QLabel("Delays", self)
        self._delays_title.setObjectName("hint")
        self._chart = DelayChart(theme, self)
        self._details = RowDetails("", "", "", "", "", "", None)
        self._which.choose(_STACK)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self._which)
        head.addWidget(self._about, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addLayout(head)
        column.addWidget(self._lists, 1)
        column.addWidget(self._delays_title)
        column.addWidget(self._chart)
        self._which.chosen.connect(self._on_chosen)
        self._stack.row_activated.connect(self._on_line)
        self._pairs.row_activated.connect(self._on_side)
        model.details_changed.connect(self._show)

    def show_delays(self, is_shown: bool) -> None:
        """Show or hide the chart below the lists."""
        self._delays_title.setVisible(is_shown)
        self._chart.setVisible(is_shown)

    def set_theme(self, theme: Theme) -> None:
        self._stack.set_theme(theme)
        self._pairs.set_theme(theme)
        self._chart.set_theme(theme)

    def _on_chosen(self, which: str) -> None:
        self._lists.setCurrentIndex(0 if which == _STACK else 1)
        self._show_about()

    def _show(self, details: RowDetails) -> None:
        self._details = details
        self._title.set_text(details.title)
        self._which.set_visible(_PAIRS, bool(details.pairs_title))
        if details.pairs_title:
            self._which.set_text(_PAIRS, details.pairs_title)
        elif self._lists.currentIndex() == 1:
            self._which.choose(_STACK)
            self._lists.setCurrentIndex(0)
        self._chart.show_bars(describe_delays(details.title, details.delays, self._is_file))
        self._show_about()

    def _show_about(self) -> None:
        is_stack = self._lists.currentIndex() == 0
        details = self._details
        self._about.set_text(details.stack_title if is_stack else details.pairs_about)
        self._stack.say("", details.no_stack)
        self._pairs.say("", details.no_pairs)

    def _on_side(self, row: int) -> None:
        stack = self._model.pairs.stack_at(row)
        if stack >= 0:
            self.side_activated.emit(stack)

    def _on_line(self, row: int) -> None:
        self.name_activated.emit(self._model.stack.name_at(row))
