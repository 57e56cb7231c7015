"""Who holds the memory: by line, by function, and how large the blocks are."""

from __future__ import annotations

import numpy as np
import pytest

from harness.heap_talk import HeapTalk
from stackglass_viewer.model.heap import sites as heap_sites
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.sites import HeapTable, build_heap_table, list_capture_rows


def look(talk: HeapTalk, grouping: str = "sites", is_in_use: bool = True) -> HeapTable:
    rows = list_capture_rows(talk.live.heap.capture(), talk.live.list_definitions())
    return build_heap_table(rows, is_in_use, grouping == "functions", is_by_space=True)


@pytest.fixture
def talk() -> HeapTalk:
    """f allocates at two lines and in two sizes; g holds nothing any more."""
    made = HeapTalk()
    made.define((1, 1), (1, 1), (2, 1), (3, 1))
    made.sums(1, (0, 4, 400, 1, 100), (1, 2, 6000, 0, 0), (2, 10, 160, 0, 0), (3, 5, 500, 5, 500))
    return made


def list_rows(table: HeapTable) -> list[tuple[str, int, int, int]]:
    columns = (table.name, table.line.tolist(), table.objects.tolist(), table.size_bytes.tolist())
    return list(zip(*columns, strict=True))


def test_a_site_is_a_line(talk: HeapTalk) -> None:
    table = look(talk)
    assert list_rows(table) == [("m.f", 1, 5, 6300), ("m.f", 2, 10, 160)]
    assert table.file == ("m.py", "m.py")
    assert (table.total_objects, table.total_bytes, table.n_left_out) == (15, 6460, 0)


def test_a_function_has_all_its_lines(talk: HeapTalk) -> None:
    assert list_rows(look(talk, "functions")) == [("m.f", 0, 15, 6460)]
    allocated = list_rows(look(talk, "functions", is_in_use=False))
    assert allocated == [("m.f", 0, 16, 6560), ("m.g", 0, 5, 500)]


def test_sizes_are_counted_by_powers_of_two(talk: HeapTalk) -> None:
    table = look(talk)
    sizes = table.sizes[0]
    assert sizes.first_class == 6  # 64 … 127
    assert sizes.objects.tolist() == [3, 0, 0, 0, 0, 2]
    assert sizes.size_bytes.tolist() == [300, 0, 0, 0, 0, 6000]
    assert table.all_sizes.first_class == 4
    assert int(table.all_sizes.objects.sum()) == 15


def test_the_smallest_are_left_out_and_counted(
    talk: HeapTalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heap_sites, "_MAX_ROWS", 1)
    table = look(talk)
    assert list_rows(table) == [("m.f", 1, 5, 6300)]
    assert (table.n_left_out, table.total_bytes) == (1, 6460)
    assert int(table.all_sizes.size_bytes.sum()) == 6460


def test_nothing_is_a_table_without_rows() -> None:
    made = HeapTalk()
    table = look(made)
    assert len(table) == 0
    assert len(table.all_sizes.objects) == 0
    assert table.line.dtype == np.int64


def test_a_stack_without_frames_is_unknown() -> None:
    made = HeapTalk()
    made.define((0, 1))
    made.sums(1, (0, 1, 10, 0, 0))
    assert list_rows(look(made)) == [("<unknown>", 0, 1, 10)]
    assert list_rows(look(made, "functions")) == [("<unknown>", 0, 1, 10)]


def look_at_change(talk: HeapTalk, window: HeapWindow) -> HeapTable:
    moment, columns = talk.live.heap.measure_window(window)
    rows = list_capture_rows(moment, talk.live.list_definitions(), columns)
    is_growth = window.kind == "growth"
    return build_heap_table(rows, is_growth, False, is_by_space=True, is_change=is_growth)


def test_what_grew_and_what_shrank_by_line(talk: HeapTalk) -> None:
    talk.sums(5, (0, 14, 1400, 1, 100), (2, 10, 160, 7, 112), (3, 9, 900, 9, 900))
    table = look_at_change(talk, HeapWindow("growth", 200, None))
    assert list_rows(table) == [("m.f", 1, 10, 1000), ("m.f", 2, -7, -112)]
    assert (table.total_bytes, table.total_objects, table.is_change) == (1000, 10, True)
    assert table.sizes[1].size_bytes.tolist() == [-112]


def test_what_was_allocated_in_a_span_by_line(talk: HeapTalk) -> None:
    talk.events((0, 7, 2.0, 3, 300), (3, 7, 2.5, 5, 500), (0, 7, 9.0, 3, 300))
    talk.status(10)
    table = look_at_change(talk, HeapWindow("span", 150, 300))
    assert list_rows(table) == [("m.g", 9, 5, 500), ("m.f", 1, 3, 300)]
    assert not table.is_change


def test_of_too_many_changes_both_ends_are_kept(
    talk: HeapTalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heap_sites, "_MAX_ROWS", 2)
    talk.sums(5, (0, 14, 1400, 1, 100), (2, 10, 160, 7, 112), (3, 9, 900, 8, 800))
    table = look_at_change(talk, HeapWindow("growth", 200, None))
    assert [row[3] for row in list_rows(table)] == [1000, -112]
    assert table.n_left_out == 1
