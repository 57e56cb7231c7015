"""The table of memory as an item model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from harness.heap_talk import HeapTalk
from stackglass_viewer.model.heap.sites import HeapTable, build_heap_table, list_capture_rows
from stackglass_viewer.presenter.tables.heap_model import (
    HeapField,
    HeapModel,
    SizeBars,
    _say_sizes,
)

FIELDS = list(HeapField)


def make_table(*rows: tuple[int, int, int, int, int], is_by_space: bool = True) -> HeapTable:
    talk = HeapTalk()
    talk.define((1, 1), (2, 1), (3, 1))
    talk.sums(1, *rows)
    found = list_capture_rows(talk.live.heap.capture(), talk.live.list_definitions())
    return build_heap_table(found, True, False, is_by_space)


@pytest.fixture
def model() -> HeapModel:
    made = HeapModel()
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # kept alive
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    made.set_table(make_table((0, 5, 500, 0, 0), (1, 90, 90, 0, 0), (2, 1, 10, 0, 0)), "sites")
    return made


def column(model: HeapModel, field: HeapField) -> list[object]:
    place = FIELDS.index(field)
    return [model.index(row, place).data() for row in range(model.rowCount())]


def test_rows_have_bytes_share_objects_size_and_place(model: HeapModel) -> None:
    first = [model.index(0, place).data() for place in range(model.columnCount())]
    assert first == [500, 500 / 600, 5, 100, "m.f", "m.py:1"]
    assert column(model, HeapField.SIZE) == [500, 90, 10]


@pytest.mark.parametrize(
    ("field", "is_descending", "expected"),
    [
        (HeapField.OBJECTS, True, [90, 500, 10]),
        (HeapField.NAME, False, [500, 90, 10]),
        (HeapField.PLACE, True, [10, 90, 500]),
        (HeapField.MEAN, False, [90, 10, 500]),
    ],
)
def test_sorting(
    model: HeapModel, field: HeapField, is_descending: bool, expected: list[int]
) -> None:
    order = Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
    model.sort(FIELDS.index(field), order)
    assert column(model, HeapField.SIZE) == expected


def test_mean_sizes_of_what_shrank_sort_as_they_are_shown(model: HeapModel) -> None:
    table = make_table((0, 5, 500, 0, 0), (1, 90, 90, 0, 0), (2, 1, 10, 0, 0))
    objects, size_bytes = np.array([-5, 90, 2]), np.array([-500, 90, 20])
    changed = replace(table, objects=objects, size_bytes=size_bytes, is_change=True)
    model.set_table(changed, "sites")
    model.sort(FIELDS.index(HeapField.MEAN), Qt.SortOrder.DescendingOrder)
    assert column(model, HeapField.MEAN) == [100, 10, 1]


def test_sizes_follow_the_chosen_row_wherever_it_goes(model: HeapModel) -> None:
    talk: list[SizeBars] = []
    model.sizes_changed.connect(talk.append)
    model.choose(1)
    assert talk[-1].title == "Sizes of blocks of m.f, line 2"
    assert [(bar.label, bar.value, bar.share) for bar in talk[-1].bars] == [("1–2 B", 90, 1.0)]
    model.set_table(make_table((0, 5, 500, 0, 0), (1, 900, 900, 0, 0)), "sites")
    assert model.chosen_row == 0
    assert talk[-1].bars[0].value == 900
    model.choose(-1)
    assert talk[-1].title == "Sizes of all blocks"


def test_an_index_that_is_held_follows_its_row(model: HeapModel) -> None:
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    held = [QPersistentModelIndex(model.index(row, 4)) for row in range(3)]  # lines 1, 2, 9
    model.set_table(make_table((0, 5, 500, 0, 0), (1, 900, 900, 0, 0)), "sites")
    assert [index.row() if index.isValid() else -1 for index in held] == [1, 0, -1]
    model.set_table(make_table((0, 5, 500, 0, 0), (1, 4, 40, 0, 0), (2, 1, 9999, 0, 0)), "sites")
    assert [index.row() for index in held[:2]] == [1, 2]
    model.sort(FIELDS.index(HeapField.PLACE), Qt.SortOrder.AscendingOrder)
    assert [index.row() for index in held[:2]] == [0, 1]
    assert not resets


def test_objects_can_be_the_measure(model: HeapModel) -> None:
    talk: list[SizeBars] = []
    model.sizes_changed.connect(talk.append)
    model.set_table(make_table((0, 5, 500, 0, 0), (1, 15, 15, 0, 0), is_by_space=False), "sites")
    assert sorted(map(float, column(model, HeapField.SHARE))) == [0.25, 0.75]  # type: ignore[arg-type]
    assert [bar.value for bar in talk[-1].bars if bar.value] == [15, 5]


def test_the_summary_counts_what_is_left_out(model: HeapModel) -> None:
    talk: list[str] = []
    model.summary_changed.connect(talk.append)
    table = make_table((0, 5, 500, 0, 0))
    model.set_table(table, "sites")
    model.set_table(replace(table, n_left_out=1233), "functions")
    assert talk == ["1 site", "1\u202f234 functions, the largest 1 shown"]


@pytest.mark.parametrize(
    ("least_bytes", "text"),
    [
        (1, "1–2 B"),
        (256, "256–512 B"),
        (512, "512 B–1 KiB"),
        (4096, "4–8 KiB"),
        (1 << 30, "1–2 GiB"),
    ],
)
def test_a_class_of_sizes_has_both_its_ends(least_bytes: int, text: str) -> None:
    """``4 KiB …`` looked like a text that was cut."""
    assert _say_sizes(least_bytes) == text
