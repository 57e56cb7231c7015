"""Contention view: a table of stacks, functions or locks, and the threads that wait now."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.contention.wait_rate import SHOWN_S, WaitingSeries
from stackglass_viewer.presenter.live.contention_empty_state import Emptiness, Remedy
from stackglass_viewer.presenter.settings.contention_choices import ALL_THREADS_NOW, WAITING_NOW
from stackglass_viewer.presenter.tables.contention_model import ContentionField, ContentionModel
from stackglass_viewer.presenter.tables.delay_bars import describe_strip
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.view.contention.details import ContentionDetails
from stackglass_viewer.view.contention.threads_view import ThreadsView
from stackglass_viewer.view.contention.waiting_strip import WaitingStrip
from stackglass_viewer.view.contention.waits_view import WaitsView
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.tables.table_head import TableHead
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (78, 80, 72, 76, 82, 170, 96, 160, 84)  # of the model's columns
_TABLE_PX, _DETAILS_PX = 740, 240  # at first; all columns fit in a window of 1024 px
_LEAST_PX = 226  # height without charts
_DETAILS_FROM_PX = 640  # from this width on, there is room for the details beside the table
_CHARTS_PX = 350  # from this height on, there is room for the charts


class ContentionView(CompoundWidget):
    """Shows the table, the details beside it and the strip above, and emits the user's choices."""

    grouping_chosen = Signal(str)  # stacks, functions, locks, WAITING_NOW, or ALL_THREADS_NOW
    row_chosen = Signal(int)  # -1 = none
    name_activated = Signal(str)  # function that was double-clicked
    lock_activated = Signal(int)  # lock that was double-clicked; -1 = several, or none
    remedy_chosen = Signal(object)  # Remedy
    side_activated = Signal(int)  # stack of a holder or waiter: the engine's node

    def __init__(
        self,
        model: ContentionModel,
        now: tuple[WaitsModel, NowModel] | None,
        theme: Theme,
        bar: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        """``now``: the models of the waiting threads and of all threads; None for a file, which
        has no threads and no separate locks.
        ``bar``: the parent of ``head``."""
        super().__init__(parent)
        is_file = now is None
        self._model = model
        self._theme = theme
        self._waits_model = now[0] if now is not None else None
        self._now_model = now[1] if now is not None else None
        self._waits: WaitsView | None = None  # made when it is first shown
        self._is_by_lock = False
        self._threads: ThreadsView | None = None  # made when it is first shown
        self._grouping = "stacks"
        self._placeholder = ("Nothing here", "")
        self._remedies: tuple[Remedy, ...] = ()
        self._no_waiting = self._no_threads = Emptiness("", "")
        self.head = TableHead(
            "Rows",
            [
                ("stacks", "Stacks"),
                ("functions", "Functions"),
                ("locks", "Locks"),
                (WAITING_NOW, "Waiting now"),
                (ALL_THREADS_NOW, "Threads now"),
            ],
            bar,
        )
        self._groupings = self.head.groupings
        self._groupings.set_tool_tips(
            {
                "stacks": "One row per stack",
                "functions": "One row per function, with all its stacks",
                "locks": "One row per lock; double-click to show only its waits",
                WAITING_NOW: "Which thread waits for which: now, or at the end of the span shown",
                ALL_THREADS_NOW: "Every thread, task and greenlet now, each with its stack",
            }
        )
        for key in ("locks", WAITING_NOW, ALL_THREADS_NOW):
            self._groupings.set_visible(key, not is_file)
        self._groupings.choose("stacks")
        self._count = self.head.count
        self._table_count = ""  # number of rows in the table of recorded waits, in words
        self._waiting_count = ""  # number of waiting threads, in words
        self._strip = WaitingStrip(theme, self)
        self._strip.setVisible(not is_file)
        self.setMinimumHeight(_LEAST_PX)  # or the charts would make the window grow: see _fit
        self._pages = QStackedWidget(self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self._pages)
        self._pages.addWidget(self._splitter)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._table = LazyTable(model, theme, _WIDTHS_PX, "Contention", self._splitter)
        self._details: ContentionDetails | None = None
        self.set_entry(self._table)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._strip)
        whole.addWidget(self._pages, 1)
        self._groupings.chosen.connect(self._on_grouping)
        self._table.row_chosen.connect(self.row_chosen)
        self._table.row_activated.connect(self._on_activated)
        self._table.pressed.connect(lambda index: self.remedy_chosen.emit(self._remedies[index]))
        model.summary_changed.connect(self._show_summary)
        model.details_changed.connect(lambda: self._table.follow(model.chosen_row))
        QTimer.singleShot(0, self, self._add_details)  # an incremental step of its own

    def _add_details(self) -> None:
        is_file = self._waits_model is None
        details = ContentionDetails(self._model, self._theme, is_file, self._splitter)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([_TABLE_PX, _DETAILS_PX])
        details.side_activated.connect(self.side_activated)
        details.name_activated.connect(self.name_activated)
        self._details = details
        self._fit()
        self._model.emit_details()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide the charts in a low window and the details in a narrow one."""
        has_room = self.height() >= _CHARTS_PX
        self._strip.setVisible(has_room and self._waits_model is not None)
        if self._details is not None:
            self._details.show_delays(has_room)
            self._details.setVisible(self.width() >= _DETAILS_FROM_PX)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._table.set_theme(theme)
        if self._details is not None:
            self._details.set_theme(theme)
        self._strip.set_theme(theme)
        for view in (self._waits, self._threads):
            if view is not None:
                view.set_theme(theme)

    def show_grouping(self, grouping: str) -> None:
        """Show the table of ``grouping``, without a signal."""
        self._groupings.choose(grouping)
        self._lay_out(grouping)

    def show_waiting(self, waiting: WaitingSeries | None) -> None:
        """Show the waits over time in the strip; None = unknown, an empty strip."""
        self._strip.show_strip(describe_strip(waiting, SHOWN_S) if waiting is not None else None)

    def show_no_waiting(self, empty: Emptiness) -> None:
        """Set the texts that are shown while no thread waits."""
        self._no_waiting = empty
        if self._waits is not None:
            self._waits.set_empty(empty)

    def show_no_threads(self, empty: Emptiness) -> None:
        """Set the texts that are shown while no thread is known."""
        self._no_threads = empty
        if self._threads is not None:
            self._threads.set_empty(empty)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts of an empty table."""
        self._placeholder = (title, text)
        self._show_empty()

    def set_remedies(self, remedies: tuple[Remedy, ...]) -> None:
        """Set the remedies, one for each button below the texts of the empty table."""
        if remedies != self._remedies:
            self._remedies = remedies
            self._show_empty()

    def _show_empty(self) -> None:
        words = tuple(remedy.words for remedy in self._remedies)
        self._table.say(*self._placeholder, words)

    def focus_search(self) -> bool:
        """Focus the search of the shown table; returns False if it has none."""
        if self._threads is None or self._pages.currentWidget() is not self._threads:
            return False
        self._threads.focus_search()
        return True

    def clear_search(self) -> bool:
        """Clear the search of the shown table; returns whether there was one."""
        if self._threads is None or self._pages.currentWidget() is not self._threads:
            return False
        return self._threads.clear_search()

    def clear_selection(self) -> bool:
        """Clear the selection of the table that is shown; returns whether a row was chosen."""
        shown = self._pages.currentWidget()
        for view in (self._waits, self._threads):
            if view is not None and view is shown:
                return view.clear_selection()
        return self._table.clear_selection()

    def _on_grouping(self, grouping: str) -> None:
        self._lay_out(grouping)
        self.grouping_chosen.emit(grouping)

    def _lay_out(self, grouping: str) -> None:
        self._is_by_lock = grouping == "locks"
        self._grouping = grouping
        shown: QWidget = self._splitter
        if grouping == WAITING_NOW and self._waits_model is not None:
            shown = self._waits or self._make_waits(self._waits_model)
        elif grouping == ALL_THREADS_NOW and self._now_model is not None:
            shown = self._threads or self._make_threads(self._now_model)
        entry = self._table if shown is self._splitter else shown
        self.turn_to(self._pages, shown, entry)
        self._show_count()

    def _make_waits(self, model: WaitsModel) -> WaitsView:
        self._waits = WaitsView(model, self._no_waiting, self._theme, self._pages)
        self._waits.remedy_chosen.connect(self.remedy_chosen)
        self._waits.counted.connect(self._show_waiting_now)
        self._pages.addWidget(self._waits)
        model.summarise()
        return self._waits

    def _make_threads(self, model: NowModel) -> ThreadsView:
        self._threads = ThreadsView(model, self._no_threads, self._theme, self._pages)
        self._pages.addWidget(self._threads)
        model.summarise()
        return self._threads

    def _show_waiting_now(self, text: str) -> None:
        self._waiting_count = text
        self._show_count()

    def _show_count(self) -> None:
        """Write the count of the table that is shown."""
        counts = {WAITING_NOW: self._waiting_count, ALL_THREADS_NOW: ""}  # ThreadsView counts
        self._count.set_text(counts.get(self._grouping, self._table_count))

    def _show_summary(self, text: str) -> None:
        # While the table of locks is shown, its button stays enabled even without locks.
        self._groupings.set_enabled("locks", self._model.has_locks or self._is_by_lock)
        empty = self._model.empty_fields
        self._table.show_columns(
            {column: field not in empty for column, field in enumerate(ContentionField)}
        )
        self._table_count = text if self._model.rowCount() else ""
        self._show_count()
        self._show_empty()

    def _on_activated(self, row: int) -> None:
        if self._is_by_lock:
            self.lock_activated.emit(self._model.lock_at(row))
        else:
            self.name_activated.emit(self._model.name_at(row))
