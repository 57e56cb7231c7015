"""The table of size classes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from stackglass_viewer.model.memory_trace.fill import ClassFill
from stackglass_viewer.presenter.tables.class_model import ClassField, ClassModel

pytestmark = pytest.mark.usefixtures("qt")
ROWS = (ClassFill(32, 4, 100, 3000, 40_000, 0.5, 1), ClassFill(64, 2, 10, 600, 30_000, 0.9, 1))


def make_model() -> ClassModel:
    model = ClassModel()
    tester = QAbstractItemModelTester(model)
    tester.setParent(model)
    model.set_table(ROWS)
    return model


def read(model: ClassModel, row: int, field: ClassField) -> object:
    cell = model.cell(row, list(ClassField).index(field))
    assert cell is not None
    return cell.value


def test_the_class_with_most_bytes_free_is_first() -> None:
    model = make_model()
    assert read(model, 0, ClassField.FREE) == 27_000
    assert read(model, 1, ClassField.FREE) == 20_000


@pytest.mark.parametrize("field", list(ClassField))
def test_any_column_sorts(field: ClassField) -> None:
    model = make_model()
    model.sort(list(ClassField).index(field), Qt.SortOrder.DescendingOrder)
    values = [read(model, row, field) for row in (0, 1)]
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]


def test_the_sum_is_said() -> None:
    model = ClassModel()
    texts: list[str] = []
    model.summary_changed.connect(texts.append)
    model.set_table(ROWS)
    model.set_table(())
    assert texts == ["45.9 KiB free in pools of 68.4 KiB", "No pools at this moment"]
