"""Filters of all kinds are undone and redone in the order in which they came."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.label_table import LabelFilter, LabelPattern
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.filter_history import FilterHistory
from stackglass_viewer.presenter.settings.filter_sets import FilterSet
from stackglass_viewer.presenter.settings.label_choices import LabelChoices
from stackglass_viewer.presenter.settings.span_choice import SpanChoice
from stackglass_viewer.presenter.settings.thread_choice import (
    ALL_THREADS,
    NamePattern,
    ThreadChoice,
)
from stackglass_viewer.presenter.settings.transform_choices import TransformChoices
from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_model import ThreadModel

STEP, OTHER = (Transform(TransformKind.FOCUS, name) for name in ("main", "work"))
ROUTE, STATE = ("route", "/a"), LabelPattern("state", "lock", is_excluded=True)
POOL = ThreadChoice(named=NamePattern("^pool"))
CHECK = Qt.ItemDataRole.CheckStateRole


class Filters:
    """All choices of a tab, and what is undone of them."""

    def __init__(self) -> None:
        self.transforms, self.labels = TransformChoices(), LabelChoices()
        self.threads, self.span = ThreadModel(), SpanChoice()
        self.history = FilterHistory(self.transforms, self.labels, self.threads, self.span)

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
    filters.history.choose(FilterSet((OTHER,), frozenset({ROUTE, STATE}), POOL, (1, 2)))
    assert filters.all == {OTHER, ROUTE, STATE}
    assert (filters.threads.choice, filters.span.chosen) == (POOL, (1, 2))
    assert filters.history.undo()
    assert filters.all == {STEP}
    assert (filters.threads.choice, filters.span.chosen) == (ALL_THREADS, None)


def test_threads_and_spans_are_undone(filters: Filters) -> None:
    filters.threads.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((8,), "pool-1", 0.5)])
    filters.threads.choose_named(POOL.named or NamePattern(""))
    filters.span.choose((1, 5))
    filters.threads.choose(frozenset({7}))
    filters.span.choose((2, 3))
    assert filters.history.undo()
    assert filters.span.chosen == (1, 5)
    assert filters.history.undo()
    assert filters.threads.named == POOL.named
    assert filters.threads.chosen == frozenset({8})
    assert filters.history.undo()
    assert filters.span.chosen is None
    assert filters.history.undo()
    assert filters.threads.chosen is None
    for _ in range(3):
        assert filters.history.redo()
    assert (filters.threads.chosen, filters.span.chosen) == (frozenset({7}), (1, 5))


def test_threads_that_end_later_are_no_step(filters: Filters) -> None:
    ended = [ThreadRow((7, 8), "pool-#", 0.5, is_ended=True, names=("pool-1", "pool-2"))]
    filters.threads.set_rows(ended)
    filters.threads.setData(filters.threads.index(0), Qt.CheckState.Checked, CHECK)
    more = replace(ended[0], tids=(7, 8, 9), names=("pool-1", "pool-2", "pool-3"))
    filters.threads.set_rows([more])
    filters.span.choose((1, 5))
    assert filters.history.undo()
    assert filters.threads.chosen == frozenset({7, 8, 9})
    assert filters.history.undo()
    assert filters.threads.chosen is None
    assert not filters.history.undo()


def test_a_span_that_moves_is_one_step(filters: Filters) -> None:
    filters.span.choose((1, 5))
    for begin in range(3, 9):
        filters.span.follow((begin, begin + 4))
    assert filters.history.undo()
    assert filters.span.chosen == (1, 5)
    assert filters.history.undo()
    assert filters.span.chosen is None


def test_a_label_of_another_name_is_no_step(filters: Filters) -> None:
    renamed: list[object] = []
    steps: list[bool] = []
    filters.labels.add(ROUTE)
    filters.transforms.add(STEP)
    filters.labels.drop_all()
    filters.history.undo()
    filters.history.changed.connect(steps.append)
    filters.history.labels_renamed.connect(renamed.append)
    names: dict[LabelFilter, LabelFilter] = {
        ROUTE: ("route", "/b"),
        STATE: STATE._replace(pattern="io"),
    }
    filters.history.rename_labels(names)
    assert (steps, renamed, filters.all) == ([], [names], {STEP, ("route", "/b")})
    assert filters.history.current == filters.history._current
    assert filters.history.undo()
    assert filters.all == {("route", "/b")}
    assert filters.history.undo()
    assert filters.all == set()
    while filters.history.redo():
        pass
    assert filters.all == {STEP}
    filters.history.undo()
    assert filters.all == {STEP, ("route", "/b")}
