"""The table of functions as an item model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.tables.table_model import Cell
from stackglass_viewer.presenter.tables.top_model import (
    Arrangement,
    TopColumn,
    TopModel,
    order_rows,
)
from stackglass_viewer.presenter.worker import Worker

NAME = 4
CUM = 2


def make_table(flat: list[int], cum: list[int], calls: bool = False) -> TopTable:
    return TopTable(
        name=tuple(f"mod.f{n}" for n in range(len(flat))),
        file=tuple(f"file{n % 2}.py" for n in range(len(flat))),
        flat=np.array(flat, dtype=np.int64),
        cum=np.array(cum, dtype=np.int64),
        calls=np.arange(len(flat), dtype=np.int64) if calls else None,
        total=100,
        unit="nanoseconds",
    )


TABLE = make_table([10, 30, 0, 20], [100, 30, 70, 20])


@pytest.fixture
def model(qt: QApplication, wait_until: Any) -> Iterator[TopModel]:
    worker = Worker("test")
    made = TopModel(worker)
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # keeps it alive
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    made.set_data(TABLE)
    wait_until(lambda: made.rowCount() == 4)
    yield made
    worker.stop()


def functions(model: TopModel) -> list[int]:
    return [model.function_at(row) for row in range(model.rowCount())]


def test_cells_hold_numbers_and_roles(model: TopModel) -> None:
    assert functions(model) == [1, 3, 0, 2]
    assert model.index(0, 0).data() == 30
    assert model.index(0, 1).data() == pytest.approx(0.30)
    assert model.index(0, NAME).data() == "mod.f1"
    assert model.cell(0, 0) == Cell(TopColumn.FLAT, 30, "nanoseconds", is_signed=True)
    assert model.cell(2, 3) == Cell(TopColumn.CUM_SHARE, 1.0, "nanoseconds", is_signed=True)
    assert model.cell(4, 0) is None
    assert model.row_of(3) == 1


def test_sorting_by_any_column_both_ways(model: TopModel, wait_until: Any) -> None:
    model.sort(CUM, Qt.SortOrder.DescendingOrder)
    wait_until(lambda: functions(model) == [0, 2, 1, 3])
    model.sort(NAME, Qt.SortOrder.AscendingOrder)
    wait_until(lambda: functions(model) == [0, 1, 2, 3])
    model.sort(NAME, Qt.SortOrder.DescendingOrder)
    wait_until(lambda: functions(model) == [3, 2, 1, 0])


def test_the_filter_is_a_regular_expression_over_name_and_file(
    model: TopModel, wait_until: Any
) -> None:
    model.set_filter("f[12]$")
    wait_until(lambda: functions(model) == [1, 2])
    model.set_filter("file1")
    wait_until(lambda: functions(model) == [1, 3])


def test_a_bad_filter_is_refused_and_changes_nothing(model: TopModel, wait_until: Any) -> None:
    refused: list[str] = []
    model.pattern_refused.connect(refused.append)
    model.set_filter("(")
    wait_until(lambda: any(refused))
    assert functions(model) == [1, 3, 0, 2]


def test_new_values_keep_the_selected_function(model: TopModel) -> None:
    held = QPersistentModelIndex(model.index(0, 0))
    newer = make_table([1, 2, 3, 4, 9], [9, 9, 9, 9, 9])
    model.set_data(newer, order_rows(newer, model.wish))
    assert model.rowCount() == 5
    assert functions(model) == [4, 3, 2, 1, 0]
    assert model.function_at(held.row()) == 1


def test_fewer_functions_make_fewer_rows(model: TopModel) -> None:
    newer = make_table([5, 0, 0, 1], [5, 0, 0, 1])
    model.set_data(newer, order_rows(newer, model.wish))
    assert functions(model) == [0, 3]


def test_calls_have_a_column_where_they_are_counted(model: TopModel) -> None:
    newer = make_table([5, 6], [5, 6], calls=True)
    model.set_data(newer, order_rows(newer, model.wish))
    assert model.columns[0] is TopColumn.CALLS
    assert model.columnCount() == 7


def test_text_is_sorted_without_regard_to_case() -> None:
    table = TopTable(
        ("b", "A", "c"),
        ("", "", ""),
        np.ones(3, np.int64),
        np.ones(3, np.int64),
        None,
        3,
        "count",
    )
    rows = order_rows(table, Arrangement(TopColumn.NAME, is_descending=False))
    assert rows.tolist() == [1, 0, 2]


def test_differences_have_signs_lines_and_no_shares(model: TopModel) -> None:
    newer = replace(
        make_table([5, -60, 20], [5, -60, 20]),
        line=np.array([3, 0, 9]),
        is_change=True,
        has_shares=False,
    )
    model.set_data(newer, order_rows(newer, model.wish))
    assert model.columns == (TopColumn.FLAT, TopColumn.CUM, TopColumn.NAME, TopColumn.FILE)
    change = Cell(TopColumn.FLAT, 20, "nanoseconds", is_change=True, bar=0.2, is_signed=True)
    assert model.cell(0, 0) == change
    assert model.cell(2, 0) == change._replace(value=-60, bar=0.6)
    files = [cell.value for row in range(3) if (cell := model.cell(row, 3)) is not None]
    assert files == ["file0.py:9", "file0.py:3", "file1.py"]
    model.set_data(TABLE, order_rows(TABLE, model.wish))
    assert model.columnCount() == 6


def test_rows_that_are_aimed_at_stay_where_they_are(model: TopModel, wait_until: Any) -> None:
    held: list[bool] = []
    model.order_held.connect(held.append)
    model.hold(True)
    table = make_table([90, 30, 0, 0, 95], [90, 30, 70, 0, 95])  # 3 has nothing any more, 4 is new
    model.set_data(table, order_rows(table, model.wish))
    assert functions(model) == [1, 3, 0, 2, 4]
    assert held == [True]
    model.hold(False)
    wait_until(lambda: functions(model) == [4, 0, 1, 2])
    assert held == [True, False]
    model.hold(True)
    model.sort(NAME)
    wait_until(lambda: functions(model) == [0, 1, 2, 4][::-1] or functions(model) == [0, 1, 2, 4])
    other = replace(TABLE, name=("a", "b", "c", "d"))  # of another sample type
    model.set_data(other, order_rows(other, model.wish))
    assert functions(model) == order_rows(other, model.wish).tolist()


def test_rows_of_an_earlier_table_do_not_replace_a_newer_one(
    model: TopModel, wait_until: Any
) -> None:
    newer = make_table([1, 2, 3, 4, 9], [9, 9, 9, 9, 9])
    arranged: list[bool] = []
    model.arranged.connect(lambda: arranged.append(True))
    model.set_filter("f[1-4]$")  # the worker arranges the earlier table
    model.set_data(newer, order_rows(newer, model.wish))
    wait_until(lambda: bool(arranged))
    assert functions(model) == [4, 3, 2, 1]
    assert model.cell(0, 0) == Cell(TopColumn.FLAT, 9, "nanoseconds", is_signed=True)


def test_held_rows_of_growth_stay_without_values_when_nothing_grew(model: TopModel) -> None:
    """The span of a timeline moves to a time without growth while the pointer is over the table."""
    grown = replace(TABLE, is_change=True, has_shares=False)
    model.set_data(grown, order_rows(grown, model.wish))
    model.hold(True)
    nothing = replace(grown, flat=np.zeros_like(TABLE.flat), cum=np.zeros_like(TABLE.cum), total=0)
    model.set_data(nothing, order_rows(nothing, model.wish))
    cell = model.cell(0, 0)
    assert model.rowCount() == 4
    assert cell == Cell(TopColumn.FLAT, 0, "nanoseconds", is_change=True, is_signed=True)
