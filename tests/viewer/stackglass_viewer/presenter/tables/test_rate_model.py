"""The table of allocation rates: rows come, go and are sorted as Qt's model tester wants."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.rate_table import RateRow, RateTable
from stackglass_viewer.presenter.tables.rate_model import RateField, RateModel

S = 10**9
LOAD = LineName("load", "app.py", 12)


def make_table(*rows: tuple[str, int, int, LineName | None]) -> RateTable:
    """Two seconds in one span; each row has a name, objects, bytes and a line."""
    made = [
        RateRow(name, np.array([n], np.int64), np.array([size], np.int64), line)
        for name, n, size, line in rows
    ]
    return RateTable(0, 2 * S, 2 * S, 1, made)


def list_column(model: RateModel, field: RateField) -> list[object]:
    column = list(RateField).index(field)
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_rates_are_sorted_replaced_and_cleared() -> None:
    model = RateModel()
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    tester = QAbstractItemModelTester(model, fatal)
    tester.setParent(model)
    model.set_table(make_table(("dict", 2, 600, None), ("list", 9, 200, None)))
    assert list_column(model, RateField.BYTE_RATE) == [300, 100]
    assert list_column(model, RateField.SHARE) == [0.75, 0.25]
    model.sort(list(RateField).index(RateField.OBJECTS), Qt.SortOrder.DescendingOrder)
    assert list_column(model, RateField.NAME) == ["list", "dict"]
    assert model.line_at(0) is None
    model.set_table(make_table(("load", 1, 100, LOAD)))
    assert (model.rowCount(), model.line_at(0), model.line_at(1)) == (1, LOAD, None)
    model.set_table(make_table())
    assert model.rowCount() == 0
