"""The table of distinct stacks as an item model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from harness.golden import Golden
from harness.profiles import encode_labels, encode_stacks, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.search import Query
from stackglass_viewer.model.graph.trace_list import (
    TraceList,
    identify_traces,
    list_traces,
    search_traces,
)
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.tables.copied_rows import copy_rows
from stackglass_viewer.presenter.tables.trace_model import ShownTraces, TraceField, TraceModel

FIELDS = list(TraceField)
STACK = FIELDS.index(TraceField.STACK)
DEEP = ";".join(f"f{number}" for number in range(60))
STACKS = f"main;load;parse 900\nmain;work 600\nmain;load 200\n{DEEP} 100\nmain;load;parse 50"
LABELS = [{"user": "bob"}, {}, {}, {}, {"user": "eve", "route": "/a"}]


def show(traces: TraceList, pattern: str = "", is_change: bool = False) -> ShownTraces:
    is_found = search_traces(traces, Query(pattern))
    return ShownTraces(traces, is_found, identify_traces(traces), 1850, "nanoseconds", is_change)


@pytest.fixture
def traces(tmp_path: Path) -> TraceList:
    path = tmp_path / "p.pb.gz"
    path.write_bytes(encode_labels(encode_stacks(STACKS), LABELS))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return list_traces(profile, TypeId(1))


@pytest.fixture
def model(traces: TraceList) -> TraceModel:
    made = TraceModel()
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # kept alive
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    made.set_traces(show(traces))
    return made


def list_stacks(model: TraceModel) -> list[str]:
    return [";".join(reversed(model.name_stack(row))) for row in range(model.rowCount())]


def test_stacks_are_counted_and_not_the_places_of_held_rows(
    model: TraceModel, traces: TraceList, tmp_path: Path
) -> None:
    said: list[str] = []
    model.summary_changed.connect(said.append)
    model.hold(True)
    path = tmp_path / "later.pb.gz"
    path.write_bytes(encode_stacks("main;load 200\nmain;save 100"))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    model.set_traces(show(list_traces(profile, TypeId(1))))
    assert model.rowCount() == traces.n_traces + 1
    assert said[-1] == "2 stacks  ·  order held"


def test_rows_as_they_are_copied(model: TraceModel, golden: Golden) -> None:
    rows = copy_rows(model, range(model.rowCount()), range(len(FIELDS)), has_head=True)
    traces = "\n\n".join(model.write_trace(row) for row in range(3))
    golden.check("traces/rows.txt", f"{rows}\n\n{traces}\n")


def test_a_deep_stack_is_cut_on_the_screen_and_whole_in_the_clipboard(model: TraceModel) -> None:
    shown, copied = model.cell(3, STACK), model.copied_cell(3, STACK)
    assert shown is not None
    assert copied is not None
    assert str(shown.value).startswith("f59 ← f58 ← ")
    assert str(shown.value).endswith("f48 ← …")
    assert str(copied.value).endswith("f1 ← f0")
    assert len(model.list_lines(3)) == 60


def test_rows_sort_by_any_column(model: TraceModel) -> None:
    by_value = list_stacks(model)
    assert by_value[0] == "main;load;parse"
    model.sort(FIELDS.index(TraceField.VALUE), Qt.SortOrder.AscendingOrder)
    assert list_stacks(model) == by_value[::-1]
    model.sort(STACK, Qt.SortOrder.AscendingOrder)
    leaves = [stack.rpartition(";")[2] for stack in list_stacks(model)]
    assert leaves == ["f59", "load", "parse", "parse", "work"]
    model.sort(FIELDS.index(TraceField.LABELS), Qt.SortOrder.DescendingOrder)
    assert [model.describe(row)[1] for row in range(3)] == ["user: bob", "route: /a  user: eve", ""]


def test_a_search_says_how_much_it_left(model: TraceModel, traces: TraceList) -> None:
    said: list[str] = []
    model.summary_changed.connect(said.append)
    model.set_traces(show(traces, "load"))
    assert model.rowCount() == 3
    model.set_traces(show(traces))
    nothing = np.zeros(traces.n_traces, dtype=np.bool_)
    identity = identify_traces(traces)
    model.set_traces(
        ShownTraces(traces, nothing, identity, 1850, "nanoseconds", False, "no pattern")
    )
    model.set_traces(None)
    assert said == ["3 of 5 stacks: 1.15 µs, 62.2%", "5 stacks", "no pattern", ""]
    assert model.rowCount() == 0


def test_a_chosen_row_stays_chosen_in_other_data(model: TraceModel, tmp_path: Path) -> None:
    """Another profile numbers its functions and its nodes in another way."""
    chosen = QPersistentModelIndex(model.index(1, 0))  # main;work
    gone = QPersistentModelIndex(model.index(0, 0))  # with a label that no sample has then
    other = read_stacks("x;y 9000\nmain;load;parse 5\nwork 7\nmain;work 6", tmp_path)
    model.set_traces(show(list_traces(other, TypeId(1))))
    assert ";".join(reversed(model.name_stack(chosen.row()))) == "main;work"
    assert not gone.isValid()


def test_a_chosen_row_stays_chosen_when_rows_change_places(model: TraceModel) -> None:
    chosen = QPersistentModelIndex(model.index(4, 0))
    model.sort(0, Qt.SortOrder.AscendingOrder)
    assert chosen.row() == 0


def test_all_rows_have_the_identities_of_each(model: TraceModel, traces: TraceList) -> None:
    model.hold(True)
    model.set_traces(show(traces, "load"))
    rows = range(model.rowCount())
    assert list(model._identify_all()) == [model._identify(row) for row in rows]
