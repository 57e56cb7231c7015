"""The table of contention as an item model."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from harness.contention_talk import (
    GIVER,
    OTHER_TAKER,
    TAKER,
    ContentionTalk,
)
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.snapshot import ALL_WAITS
from stackglass_viewer.model.contention.table import ContentionTable, Grouping, build_moment_table
from stackglass_viewer.presenter.tables.contention_model import (
    ContentionField,
    ContentionModel,
    RowDetails,
)

FIELDS = list(ContentionField)
MS = 1_000_000


def make_table(
    *sums: tuple[int, int, int, int],
    kind: ContentionKind = ContentionKind.BLOCK,
    grouping: Grouping = "stacks",
    is_by_delay: bool = True,
) -> ContentionTable:
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0), (0, 2, OTHER_TAKER, 0), (1, 1, GIVER, 0), (2, 1, GIVER, TAKER))
    talk.delays(*((bucket, 20, count) for bucket, count, _, _ in sums))
    talk.sums(10, *sums)
    moment = talk.live.capture_contention(has_delays=True)
    return build_moment_table(moment, kind, ALL_WAITS, grouping, is_by_delay)


USUAL = ((0, 9, 9 * MS, MS), (1, 1, 20 * MS, 20 * MS), (2, 3, 9 * MS, 5 * MS), (3, 3, 9 * MS, MS))


def watch(model: ContentionModel) -> None:
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    model.tester = QAbstractItemModelTester(model, fatal)  # type: ignore[attr-defined] # kept alive


@pytest.fixture
def model() -> ContentionModel:
    made = ContentionModel()
    watch(made)
    made.set_table(make_table(*USUAL))
    return made


def column(model: ContentionModel, field: ContentionField) -> list[object]:
    place = FIELDS.index(field)
    return [model.index(row, place).data() for row in range(model.rowCount())]


def test_rows_have_all_there_is_to_know(model: ContentionModel) -> None:
    assert [model.index(1, place).data() for place in range(len(FIELDS))] == [
        9 * MS,
        0.0009,
        9,
        MS,
        MS,
        "m.take",
        "m.py:31",
        "m.LOCK",
        "_thread.lock.acquire",
    ]
    cell = model.cell(0, 0)
    assert cell is not None
    assert cell.bar == pytest.approx(20 / 29)


@pytest.mark.parametrize(
    ("field", "is_descending", "expected"),
    [
        (ContentionField.COUNT, True, ["m.take", "m.other"]),
        (ContentionField.NAME, False, ["m.other", "m.take"]),
        (ContentionField.PLACE, False, ["m.take", "m.other"]),
        (ContentionField.MEAN, False, ["m.take", "m.other"]),
        (ContentionField.MAX, True, ["m.other", "m.take"]),
        (ContentionField.LOCK, True, ["m.take", "m.other"]),
        (ContentionField.CALL, True, ["m.other", "m.take"]),
    ],
)
def test_sorting(
    model: ContentionModel, field: ContentionField, is_descending: bool, expected: list[str]
) -> None:
    order = Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
    model.sort(FIELDS.index(field), order)
    assert column(model, ContentionField.NAME) == expected


def test_another_measure_sorts_by_it_unless_an_order_was_asked_for(model: ContentionModel) -> None:
    talk: list[int] = []
    model.column_sorted.connect(talk.append)
    model.set_table(make_table(*USUAL, is_by_delay=False))
    assert talk == [FIELDS.index(ContentionField.COUNT)]
    assert column(model, ContentionField.NAME) == ["m.take", "m.other"]
    model.sort(FIELDS.index(ContentionField.NAME), Qt.SortOrder.AscendingOrder)
    model.set_table(make_table(*USUAL))
    assert len(talk) == 1


def test_a_chosen_row_is_reported_wherever_it_goes(model: ContentionModel) -> None:
    talk: list[RowDetails] = []
    model.details_changed.connect(talk.append)
    held = QPersistentModelIndex(model.index(1, 0))
    model.choose(1)
    assert talk[-1].title == "m.take, line 31"
    assert talk[-1].stack_title == "Stack"
    assert talk[-1].pairs_title == "Held by"
    assert model.stack.rowCount() == 2
    assert [model.pairs.index(0, place).data() for place in range(3)] == [9 * MS, 3, "m.give:7"]
    model.set_table(make_table((0, 90, 90 * MS, MS), *USUAL[1:]))
    assert (model.chosen_row, held.row()) == (0, 0)
    assert talk[-1].delays is not None
    assert talk[-1].delays.counts.tolist() == [90]
    model.choose(-1)
    assert (talk[-1].title, model.stack.rowCount()) == ("All rows", 0)


def test_a_held_row_that_is_gone_leaves_its_place_and_the_other_stays(
    model: ContentionModel,
) -> None:
    held = QPersistentModelIndex(model.index(1, 0))
    model.choose(1)
    model.hold(True)
    model.set_table(make_table(USUAL[0], *USUAL[2:]))
    assert (model.cell(0, 0), model.chosen_row, held.row()) == (None, 1, 1)
    assert list(model._identify_all()) == [model._identify(row) for row in range(2)]


def test_rows_are_known_by_what_they_are_of(model: ContentionModel) -> None:
    known = set(model._identify_all())
    model.set_table(make_table(*USUAL, grouping="functions"))
    assert not known & set(model._identify_all())
    model.set_table(make_table(*USUAL, kind=ContentionKind.MUTEX))
    assert not known & set(model._identify_all())


def test_a_stack_that_is_wanted_is_chosen_when_it_comes(model: ContentionModel) -> None:
    model.want_stack(GIVER)
    model.set_table(make_table(*USUAL))
    assert model.chosen_row == -1
    model.set_table(make_table(*USUAL, kind=ContentionKind.MUTEX))
    assert model.chosen_row == 0
    assert model.pairs.index(0, 2).data() == "m.take:31"


def test_locks_have_no_function_and_functions_no_single_lock(model: ContentionModel) -> None:
    assert model.lock_at(0) == 2
    model.set_table(make_table(*USUAL, grouping="locks"))
    place = FIELDS.index(ContentionField.NAME)
    assert model.headerData(place, Qt.Orientation.Horizontal) == "Lock"
    assert (model.name_at(0), model.lock_at(0)) == ("", 2)
    assert model.empty_fields == (ContentionField.LOCK,)


def test_what_is_left_out_is_said(model: ContentionModel) -> None:
    talk: list[str] = []
    model.summary_changed.connect(talk.append)
    model.set_table(make_table(*USUAL))
    model.set_table(make_table(*USUAL, kind=ContentionKind.MUTEX))
    assert talk == ["2 stacks", "1 stack"]
