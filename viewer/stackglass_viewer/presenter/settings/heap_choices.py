"""Heap choices of a tab's user: values, moment, grouping."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice


class HeapChoices(QObject):
    """GUI thread. Remembers what was chosen while something else is looked at."""

    value_chosen = Signal(object)  # HeapChoice
    changed = Signal()  # one of the others
    grouping_changed = Signal(str)

    def __init__(self, value: HeapChoice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self.when = HeapWhen.LIVE
        self.grouping = "sites"  # what a row of the table of memory is: sites, functions
        self.is_table_shown = False  # it is not built otherwise

    def choose_measure(self, is_in_use: bool | None, is_space: bool | None) -> None:
        """One of the two switches; None = as it is."""
        self.value = HeapChoice(
            self.value.is_in_use if is_in_use is None else is_in_use,
            self.value.is_space if is_space is None else is_space,
        )
        self.value_chosen.emit(self.value)

    def choose_when(self, when: HeapWhen) -> None:
        """Choose the moment of the live heap to show."""
        self.when = when
        self.changed.emit()

    def choose_grouping(self, grouping: str) -> None:
        self.grouping = grouping
        self.grouping_changed.emit(grouping)
        self.changed.emit()

    def show_table(self, is_shown: bool) -> None:
        """Whether the table of memory can be seen, which shows the heap whatever else is chosen."""
        if is_shown == self.is_table_shown:
            return
        self.is_table_shown = is_shown
        if is_shown:
            self.value_chosen.emit(self.value)
