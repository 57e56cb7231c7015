"""The list of sample types, and the heap's and contention's behind one entry of it each."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.contention.buckets import (
    CONTENTION_TYPES,
    LISTED_KINDS,
    ContentionColumn,
)
from stackglass_viewer.model.heap.buckets import HEAP_TYPES, HeapColumn
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    SampleChoice,
    arrange,
    find_contention_type,
    find_contention_types,
    find_entry,
    find_heap,
    find_heap_type,
)

CPU = (SampleType("samples", "count"), SampleType("cpu", "nanoseconds"))


def test_without_a_heap_each_type_is_an_entry() -> None:
    assert arrange(CPU, 1) == SampleChoice(("samples", "cpu"), 1, None)
    assert find_entry(CPU, 0, HeapChoice()) == 0
    assert find_heap(CPU) is None


def test_types_of_one_name_are_distinguished_by_unit() -> None:
    twins = (SampleType("alloc", "count"), SampleType("alloc", "bytes"))
    assert arrange(twins, 0).entries == ("alloc (count)", "alloc (bytes)")


@pytest.mark.parametrize("column", HeapColumn)
def test_each_of_the_heaps_values_is_a_choice_of_two_switches(column: HeapColumn) -> None:
    types = (*CPU, *HEAP_TYPES)
    choice = arrange(types, 2 + column)
    assert (choice.entries, choice.entry) == (("samples", "cpu", "heap"), 2)
    assert choice.heap is not None
    assert choice.heap.column is column
    assert find_heap_type(types, choice.heap) == 2 + column
    assert find_entry(types, 2, choice.heap) == 2 + column


def test_a_file_of_a_heap_alone_in_any_order_has_one_entry() -> None:
    types = tuple(reversed(HEAP_TYPES))
    choice = arrange(types, 0)
    assert choice == SampleChoice(("heap",), 0, HeapChoice(is_in_use=True, is_space=True))
    assert find_heap_type(types, HeapChoice(is_in_use=False, is_space=False)) == 3


def test_half_a_heap_is_a_list_of_types() -> None:
    assert arrange(HEAP_TYPES[2:], 0) == SampleChoice(("inuse_objects", "inuse_space"), 0, None)


def test_totals_in_words() -> None:
    assert HeapChoice().describe("7 B") == "7 B in use"
    assert HeapChoice(False, False).describe("7") == "7 objects allocated"


def test_contention_of_a_capture_has_kinds_and_comes_last() -> None:
    types = (*CPU, *HEAP_TYPES, *CONTENTION_TYPES * len(LISTED_KINDS))
    for at, kind in enumerate(LISTED_KINDS):
        for column in ContentionColumn:
            index = 6 + 2 * at + column
            choice = arrange(types, index)
            assert choice.entries == ("samples", "cpu", "heap", "contention")
            assert (choice.entry, choice.heap) == (3, None)
            assert choice.contention == ContentionChoice(kind, column is ContentionColumn.DELAY)
            assert find_contention_type(types, choice.contention) == index
            assert find_entry(types, 3, HeapChoice(), choice.contention) == index
    assert find_entry(types, 2, HeapChoice()) == 5


def test_contention_of_a_file_has_one_kind_that_is_unknown() -> None:
    choice = arrange(CONTENTION_TYPES, 1)
    assert choice == SampleChoice(("contention",), 0, None, ContentionChoice(None))
    assert find_contention_type(CONTENTION_TYPES, ContentionChoice(None, is_delay=False)) == 0
    assert find_contention_types(CPU) == {}
    assert choice.contention is not None
    assert choice.contention.describe("3.00 s") == "3.00 s of delay"
    assert ContentionChoice().describe("3.00 s") == "3.00 s waited for locks"
