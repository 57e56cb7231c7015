"""The tables of short-lived garbage and of what survives."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.site_table import GarbageSite, Site
from stackglass_viewer.presenter.tables.site_models import (
    GarbageField,
    GarbageModel,
    SurvivorField,
    SurvivorModel,
)

pytestmark = pytest.mark.usefixtures("qt")
F, G = LineName("f", "x.py", 1), LineName("g", "y.py", 2)
GARBAGE = (GarbageSite(F, 10, 900, 3, 300), GarbageSite(G, 5, 800, 1, 700))
SURVIVORS = (Site(F, 1, 100, "a", 1), Site(G, 9, 300, "", 2))


def test_garbage_by_any_column() -> None:
    model = GarbageModel()
    tester = QAbstractItemModelTester(model)
    tester.setParent(model)
    model.set_table(GARBAGE)
    assert [model.line_at(row) for row in range(3)] == [F, G, None]
    cell = model.cell(0, 1)
    assert cell is not None
    assert cell.value == 0.75
    firsts = {}
    for column, field in enumerate(GarbageField):
        model.sort(column, Qt.SortOrder.DescendingOrder)
        firsts[field] = model.line_at(0)
    assert firsts[GarbageField.BYTES] == G
    assert firsts[GarbageField.ALL] == F


def test_survivors_by_any_column() -> None:
    model = SurvivorModel()
    tester = QAbstractItemModelTester(model)
    tester.setParent(model)
    model.set_table(SURVIVORS)
    assert [model.line_at(row) for row in range(3)] == [G, F, None]
    for column, field in enumerate(SurvivorField):
        model.sort(column, Qt.SortOrder.DescendingOrder)
        if field is SurvivorField.N:
            assert model.line_at(0) == G


def test_the_number_of_sites_is_said() -> None:
    model = GarbageModel()
    texts: list[str] = []
    model.summary_changed.connect(texts.append)
    model.set_table(GARBAGE)
    model.set_table(GARBAGE[:1])
    assert texts == ["2 sites", "1 site"]
