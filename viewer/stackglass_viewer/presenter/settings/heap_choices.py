"""Heap choices of a tab: value, moment, grouping."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice


class HeapChoices(QObject):
    """Keeps the choices, also while the tab shows another sample type. GUI thread."""

    value_chosen = Signal(object)  # HeapChoice
    changed = Signal()  # moment or grouping have changed

    def __init__(self, value: HeapChoice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self.when = HeapWhen.LIVE
        self.grouping = "sites"  # rows of the heap table: "sites" or "functions"
        self.is_table_shown = False  # whether a view shows the table: it is built only then

    def choose_measure(self, is_in_use: bool | None, is_space: bool | None) -> None:
        """Choose in use or allocated, space or objects; None = as it is."""
        self.value = HeapChoice(
            self.value.is_in_use if is_in_use is None else is_in_use,
            self.value.is_space if is_space is None else is_space,
        )
        self.value_chosen.emit(self.value)

    def choose_when(self, when: HeapWhen) -> None:
        """Choose the moment of a live heap: now, or the last full collection."""
        self.when = when
        self.changed.emit()

    def choose_grouping(self, grouping: str) -> None:
        self.grouping = grouping
        self.changed.emit()

    def show_table(self, is_shown: bool) -> None:
        """Note whether the heap table is visible. If so, the heap is the sample type."""
        if is_shown == self.is_table_shown:
            return
        self.is_table_shown = is_shown
        if is_shown:
            self.value_chosen.emit(self.value)
