"""Filter history of a tab: undo and redo of all its filters."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.presenter.settings.filter_sets import FilterSet
from stackglass_viewer.presenter.settings.label_choices import LabelChoices
from stackglass_viewer.presenter.settings.span_choice import SpanChoice
from stackglass_viewer.presenter.settings.transform_choices import TransformChoices
from stackglass_viewer.presenter.tables.thread_model import ThreadModel

_LIMIT = 100


class FilterHistory(QObject):
    """Undo and redo. A span that moves, in a replay or under the mouse, is one step. GUI thread."""

    changed = Signal(bool)  # after each step; True = the step is a span that moves
    labels_renamed = Signal(object)  # mapping of LabelFilter: what ``rename_labels`` got

    def __init__(
        self,
        transforms: TransformChoices,
        labels: LabelChoices,
        threads: ThreadModel,
        span: SpanChoice,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._transforms = transforms
        self._labels = labels
        self._threads = threads
        self._span = span
        self._current = self._read()
        self._done: list[FilterSet] = []
        self._undone: list[FilterSet] = []
        self._is_going = False  # whether this object is changing the filters
        self._is_moving = False  # whether the last step was a span that moves
        transforms.chosen_changed.connect(self._note)
        labels.chosen_changed.connect(self._note)
        threads.choice_made.connect(self._note)
        span.changed.connect(self._note)
        span.moved.connect(lambda: self._note(is_moving=True))

    @property
    def current(self) -> FilterSet:
        """The filters in force."""
        return self._read()

    def undo(self) -> bool:
        """Restore the filters before the last change. Returns False if there was none."""
        return self._go(self._done, self._undone)

    def redo(self) -> bool:
        """Restore the filters that were undone last. Returns False if there is nothing to redo."""
        return self._go(self._undone, self._done)

    def choose(self, filters: FilterSet) -> None:
        """Replace all filters, as one step."""
        if filters != self._current:
            self._remember()
            self._show(filters)

    def rename_labels(self, names: Mapping[LabelFilter, LabelFilter]) -> None:
        """Replace filters for labels that have another name now, also in the steps that can be
        undone or redone: the old name would hide everything. This is no step."""
        self._current = self._current.rename_labels(names)
        for steps in (self._done, self._undone):
            steps[:] = [each.rename_labels(names) for each in steps]
        self._is_going = True
        self._labels.choose(self._current.labels)
        self._is_going = False
        self.labels_renamed.emit(names)

    def _read(self) -> FilterSet:
        return FilterSet(
            self._transforms.chosen, self._labels.chosen, self._threads.choice, self._span.chosen
        )

    def _note(self, *_: object, is_moving: bool = False) -> None:
        now = self._read()
        if self._is_going or now == self._current:
            return
        goes_on = is_moving and self._is_moving and None not in (now.span, self._current.span)
        if not goes_on:
            self._remember()
        self._current, self._is_moving = now, is_moving
        self.changed.emit(is_moving)

    def _remember(self) -> None:
        self._done.append(self._current)
        del self._done[:-_LIMIT]
        self._undone.clear()

    def _go(self, source: list[FilterSet], other: list[FilterSet]) -> bool:
        if not source:
            return False
        other.append(self._current)
        self._show(source.pop())
        return True

    def _show(self, filters: FilterSet) -> None:
        self._is_going = True
        self._transforms.choose(filters.transforms)
        self._labels.choose(filters.labels)
        self._threads.restore(filters.threads)
        self._span.choose(filters.span)
        self._is_going = self._is_moving = False
        self._current = self._read()  # a timeline may have shortened the span
        self.changed.emit(False)
