"""The table of labels as an item model."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from stackglass_viewer.model.profile.label_table import LabelTable
from stackglass_viewer.model.profile.label_values import LabelValues
from stackglass_viewer.presenter.tables.label_model import LabelField, LabelModel
from stackglass_viewer.presenter.tables.table_model import say_cell

FIELDS = list(LabelField)


def make_values(table: LabelTable | None) -> LabelValues:
    return LabelValues(("route", "user"), "route", table, 20, "bytes", has_samples=True)


@pytest.fixture
def model() -> LabelModel:
    made = LabelModel()
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # kept alive
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    flat, samples = np.array([10, 4, -2]), np.array([1, 2, 9])
    made.set_values(make_values(LabelTable("route", ("/b", "/A", ""), flat, samples, 12)))
    return made


def list_names(model: LabelModel) -> list[object]:
    return [model.index(row, FIELDS.index(LabelField.NAME)).data() for row in range(3)]


def test_cells_hold_value_share_and_samples(model: LabelModel) -> None:
    cells = [model.cell(0, column) for column in range(4)]
    assert [cell.value for cell in cells if cell is not None] == [10, 0.5, 1, "/b"]
    assert cells[0] is not None
    assert cells[0].unit == "bytes"
    assert list_names(model) == ["/b", "/A", "(empty)"]
    assert model.label_at(2) == ("route", "")
    assert model.label_at(3) is None


def test_rows_sort_by_any_column(model: LabelModel) -> None:
    orders = {}
    for field in FIELDS:
        model.sort(FIELDS.index(field), Qt.SortOrder.AscendingOrder)
        orders[field.title] = [name for name in list_names(model) if name]
    assert orders["Flat"] == orders["Share"] == ["(empty)", "/A", "/b"]
    assert orders["Samples"] == ["/b", "/A", "(empty)"]
    assert orders["Value"] == ["(empty)", "/A", "/b"]


def test_differences_have_signs_and_shares_and_stand_by_size(model: LabelModel) -> None:
    flat, samples = np.array([4, -10]), np.array([2, 5])
    table = LabelTable("user", ("ann", "ben"), flat, samples, -6)
    model.set_values(LabelValues(("user",), "user", table, 20, "bytes", True, is_change=True))
    cells = [[model.cell(row, column) for column in range(4)] for row in range(2)]
    said = [[say_cell(cell) for cell in row if cell is not None] for row in cells]
    assert said == [["−10 B", "50.0%", "5", "ben"], ["+4 B", "20.0%", "2", "ann"]]


def test_a_search_leaves_what_contains_it_in_any_case(model: LabelModel) -> None:
    said: list[str] = []
    model.summary_changed.connect(said.append)
    model.set_search("a")
    assert [model.label_at(row) for row in range(model.rowCount())] == [("route", "/A")]
    model.set_search("")
    assert model.rowCount() == 3
    assert said == ["1 of 3 values", "3 values"]


def test_keys_are_said_when_they_change_and_a_table_may_be_empty(model: LabelModel) -> None:
    said: list[object] = []
    model.keys_changed.connect(lambda keys, shown: said.append((keys, shown)))
    model.set_values(make_values(None))
    assert (model.rowCount(), said) == (0, [])
    model.set_values(LabelValues((), "", None, 0, "", has_samples=False))
    assert said == [((), "")]
    assert not model.has_samples


def test_values_are_counted_and_not_the_places_of_held_rows(model: LabelModel) -> None:
    said: list[str] = []
    model.summary_changed.connect(said.append)
    model.hold(True)
    table = LabelTable("route", ("/b", "/new"), np.array([10, 4]), np.array([1, 2]), 14)
    model.set_values(make_values(table))
    assert model.rowCount() == 4
    assert said[-1] == "2 values  ·  order held"
