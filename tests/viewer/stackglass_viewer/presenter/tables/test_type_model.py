"""The table of types as an item model."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from harness.heap_talk import START_NS, HeapTalk, S
from stackglass_viewer.model.heap.type_census import TypeTable
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, TypeCensus
from stackglass_viewer.presenter.tables.heap_model import SizeBars
from stackglass_viewer.presenter.tables.type_model import TypeModel, describe_census


def make_table(**fields: Any) -> TypeTable:
    talk = HeapTalk()
    talk.define((1, 1))
    census = TypeCensus(
        n_objects=10,
        is_whole=1,
        duration_ns=3_000_000,
        longest_hold_ns=1_000_000,
        type_name=[1, 3],
        type_count=[4, 6],
        type_bytes=[400, 60],
        site_bucket=[0],
        site_type=[2],
        site_count=[5],
        site_bytes=[50],
    )
    census.MergeFrom(TypeCensus(**fields))
    talk.live.apply(FromEngine(census=census))
    table = talk.live.list_types()
    assert table is not None
    return table


def make_count(seconds: int, *types: int) -> TypeTable:
    """A count of one object of each type, at a second of the session."""
    n_types = len(types)
    talk = HeapTalk()
    census = TypeCensus(
        time_mono_ns=START_NS + seconds * S,
        type_name=types,
        type_count=[1] * n_types,
        type_bytes=[9 * each for each in range(n_types, 0, -1)],
    )
    talk.live.apply(FromEngine(census=census))
    table = talk.live.list_types()
    assert table is not None
    return table


@pytest.fixture
def model() -> TypeModel:
    made = TypeModel()
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # kept alive
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    made.set_table(make_table())
    return made


def names(model: TypeModel) -> list[object]:
    return [model.index(row, 4).data() for row in range(model.rowCount())]


def test_largest_first_and_any_order_that_is_asked_for(model: TypeModel) -> None:
    assert names(model) == ["m.g", "m.f", "m.py"]
    model.sort(2, Qt.SortOrder.DescendingOrder)
    assert names(model) == ["m.py", "m.f", "m.g"]
    model.sort(4, Qt.SortOrder.AscendingOrder)
    assert names(model) == ["m.f", "m.g", "m.py"]


def test_the_chosen_type_says_where_its_blocks_come_from(model: TypeModel) -> None:
    talk: list[SizeBars] = []
    model.sites_changed.connect(talk.append)
    model.choose(0)
    assert [(bar.label, bar.value) for bar in talk[-1].bars] == [("m.f:1", 50)]
    model.set_table(make_table())
    assert talk[-1].title.startswith("m.g: ")
    assert model.chosen_row == 0
    model.choose(1)
    assert "no sampled block" in talk[-1].title


def test_a_moment_before_the_first_count_has_no_rows(model: TypeModel) -> None:
    said: list[str] = []
    model.summary_changed.connect(said.append)
    model.choose(0)
    model.set_table(None, is_past=True)
    assert (model.rowCount(), said) == (0, ["No objects counted up to this moment"])
    model.sort(2, Qt.SortOrder.DescendingOrder)
    model.set_table(make_table(), is_past=True)
    assert names(model) == ["m.py", "m.f", "m.g"]
    assert said[-1].startswith("10 objects counted at 0:00 in 3.00 ms")
    assert model.chosen_row == 2, "it is still chosen"


def test_another_moment_keeps_no_empty_rows(model: TypeModel) -> None:
    """The span of the timeline was moved while a row was selected."""
    model.hold(True)
    model.set_table(make_count(1, 2, 3), is_past=True)
    assert names(model) == ["m.g", "m.py"]
    model.set_table(make_count(2, 1), is_past=True)
    assert names(model) == ["m.f"]
    model.set_table(make_count(2, 3, 1), is_past=True)
    assert names(model) == ["m.f", "m.py"], "the same moment: rows are held"
    model.set_table(make_count(3, 3))
    assert names(model) == ["m.py"]


def test_no_type_is_chosen_any_more(model: TypeModel) -> None:
    talk: list[SizeBars] = []
    model.sites_changed.connect(talk.append)
    model.choose(0)
    model.choose(-1)
    assert model.chosen_row == -1
    assert talk[-1].title.startswith("Select a type")


def test_a_census_in_words() -> None:
    text = describe_census(make_table())
    assert text == "10 objects counted in 3.00 ms, the GIL held for 1.00 ms at most"
    assert "2 sampled blocks are not symbolized" in describe_census(make_table(n_unnamed=2))
    assert describe_census(make_table(problem="it cannot be")) == "It cannot be"
