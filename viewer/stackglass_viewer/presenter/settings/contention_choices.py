"""Contention choices of a tab: kind, delay or count, grouping, filters."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.pairs import OTHER_SIDE
from stackglass_viewer.model.contention.snapshot import ALL_WAITS, ContentionFilter
from stackglass_viewer.model.contention.table import Grouping
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice

WAITING_NOW = "now"
"""Stands in place of a grouping: the threads that wait now are shown, not recorded waits."""
ALL_THREADS_NOW = "all threads"
"""Stands in place of a grouping: all threads, tasks and greenlets are shown."""

_GROUPINGS: dict[str, Grouping] = {
    "stacks": "stacks",
    "functions": "functions",
    "locks": "locks",
}


class ContentionChoices(QObject):
    """Keeps the choices, also while the tab shows another sample type. GUI thread."""

    value_chosen = Signal(object)  # ContentionChoice
    changed = Signal()  # grouping or filters have changed
    grouping_changed = Signal(str)
    stack_wanted = Signal(int)  # node of a stack: the next table with its row must choose that row
    waits_watched = Signal(bool)  # whether a view shows the waiting threads
    threads_watched = Signal(bool)  # whether a view shows all threads

    def __init__(self, value: ContentionChoice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self.grouping: Grouping = "stacks"
        self.wanted: ContentionFilter = ALL_WAITS
        self.is_table_shown = False  # whether a view shows the table: it is built only then
        self._is_now = False  # whether the waiting threads replace the table
        self._is_all_now = False  # whether all threads replace the table

    def choose_kind(self, kind: ContentionKind) -> None:
        """Choose a kind. The filter for a call is removed: other kinds have other calls."""
        if kind is not self.value.kind:
            self.wanted = replace(self.wanted, primitive="")
        self.value = replace(self.value, kind=kind)
        self.value_chosen.emit(self.value)

    def open_on(self, kind: ContentionKind) -> None:
        """Set the kind that is shown first, before contention is shown: nothing is built."""
        self.value = replace(self.value, kind=kind)

    def choose_measure(self, is_delay: bool) -> None:
        self.value = replace(self.value, is_delay=is_delay)
        self.value_chosen.emit(self.value)

    def choose_lock(self, lock: int) -> None:
        """Show only waits for this lock; -1 = all."""
        self._choose(replace(self.wanted, lock=lock))

    def choose_primitive(self, primitive: str) -> None:
        """Show only waits in this call; "" = all."""
        self._choose(replace(self.wanted, primitive=primitive))

    def drop_filters(self) -> None:
        """Show all locks and calls."""
        self._choose(ALL_WAITS)

    def _choose(self, wanted: ContentionFilter) -> None:
        if wanted != self.wanted:
            self.wanted = wanted
            self.changed.emit()

    def choose_grouping(self, grouping: str) -> None:
        """Choose what a row of the table is, or ``WAITING_NOW`` or ``ALL_THREADS_NOW``."""
        self._is_now = grouping == WAITING_NOW
        self._is_all_now = grouping == ALL_THREADS_NOW
        self.grouping_changed.emit(grouping)
        self._emit_watched()
        wanted = _GROUPINGS.get(grouping)
        if wanted is not None:
            self.grouping = wanted
            self.changed.emit()

    def follow(self, stack: int) -> None:
        """Go to the other side of a pair, from waiter to holder or back, and choose its stack."""
        if self.value.kind is None or self.value.kind not in OTHER_SIDE:
            return
        self.stack_wanted.emit(stack)
        self.grouping = "stacks"
        self.grouping_changed.emit("stacks")
        self.choose_kind(OTHER_SIDE[self.value.kind])

    def show_table(self, is_shown: bool) -> None:
        """Note whether the view of contention is visible. If so, contention is the sample type."""
        if is_shown == self.is_table_shown:
            return
        self.is_table_shown = is_shown
        self._emit_watched()
        if is_shown:
            self.value_chosen.emit(self.value)

    def _emit_watched(self) -> None:
        self.waits_watched.emit(self.is_table_shown and self._is_now)
        self.threads_watched.emit(self.is_table_shown and self._is_all_now)
