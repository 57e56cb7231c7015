"""Filters by frames and by labels are undone and redone in the order in which they came."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.filter_history import FilterHistory
from stackglass_viewer.presenter.settings.label_choices import LabelChoices
from stackglass_viewer.presenter.settings.transform_choices import TransformChoices

STEP, OTHER = (Transform(TransformKind.FOCUS, name) for name in ("main", "work"))
ROUTE, STATE = ("route", "/a"), LabelPattern("state", "lock", is_excluded=True)


class Filters:
    """Both choices of a tab, and what is undone of them."""

    def __init__(self) -> None:
        self.transforms, self.labels = TransformChoices(), LabelChoices()
        self.history = FilterHistory(self.transforms, self.labels)

    @property
    def all(self) -> set[object]:
        return {*self.transforms.chosen, *self.labels.chosen}


@pytest.fixture
def filters(qt: QApplication) -> Filters:
    return Filters()


def test_the_last_change_is_undone_first(filters: Filters) -> None:
    filters.transforms.add(STEP)
    filters.labels.choose_only(ROUTE)
    filters.labels.add(STATE)
    assert filters.history.undo()
    assert filters.all == {STEP, ROUTE}
    assert filters.history.undo()
    assert filters.all == {STEP}
    assert filters.history.redo()
    assert filters.all == {STEP, ROUTE}
    assert filters.history.undo()
    assert filters.history.undo()
    assert filters.all == set()
    assert not filters.history.undo()


def test_what_is_done_anew_ends_redo(filters: Filters) -> None:
    filters.transforms.add(STEP)
    filters.history.undo()
    filters.labels.add(ROUTE)
    assert not filters.history.redo()
    assert filters.all == {ROUTE}


def test_a_set_of_filters_is_one_step(filters: Filters) -> None:
    filters.transforms.add(STEP)
    filters.history.choose((OTHER,), frozenset({ROUTE, STATE}))
    assert filters.all == {OTHER, ROUTE, STATE}
    assert filters.history.undo()
    assert filters.all == {STEP}
