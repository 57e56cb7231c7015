"""Filter history of a tab: undo and redo of its filters by frames and by labels."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject

from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.presenter.settings.label_choices import LabelChoices
from stackglass_viewer.presenter.settings.transform_choices import TransformChoices

_LIMIT = 100


class _Filters(NamedTuple):
    transforms: tuple[Transform, ...]
    labels: frozenset[LabelFilter]


class FilterHistory(QObject):
    """GUI thread."""

    def __init__(
        self, transforms: TransformChoices, labels: LabelChoices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._transforms = transforms
        self._labels = labels
        self._current = self._read()
        self._done: list[_Filters] = []
        self._undone: list[_Filters] = []
        self._is_going = False
        transforms.chosen_changed.connect(self._note)
        labels.chosen_changed.connect(self._note)

    def undo(self) -> bool:
        """Back to the filters before the last change. False: there was none."""
        return self._go(self._done, self._undone)

    def redo(self) -> bool:
        """What was undone last, again. False: there is nothing."""
        return self._go(self._undone, self._done)

    def choose(self, transforms: tuple[Transform, ...], labels: frozenset[LabelFilter]) -> None:
        """These filters in the place of those that there are: one step."""
        if _Filters(transforms, labels) != self._current:
            self._remember()
            self._show(_Filters(transforms, labels))

    def _read(self) -> _Filters:
        return _Filters(self._transforms.chosen, self._labels.chosen)

    def _note(self) -> None:
        now = self._read()
        if self._is_going or now == self._current:
            return
        self._remember()
        self._current = now

    def _remember(self) -> None:
        self._done.append(self._current)
        del self._done[:-_LIMIT]
        self._undone.clear()

    def _go(self, source: list[_Filters], other: list[_Filters]) -> bool:
        if not source:
            return False
        other.append(self._current)
        self._show(source.pop())
        return True

    def _show(self, filters: _Filters) -> None:
        self._current = filters
        self._is_going = True
        self._transforms.choose(filters.transforms)
        self._labels.choose(filters.labels)
        self._is_going = False
