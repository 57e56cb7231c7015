"""Where rows stand on the axis of time, and which frames open and close there."""

from __future__ import annotations

import json

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.writers.frame_events import RowSpans, list_events, place_rows
from stackglass_viewer.model.writers.timed_rows import TimedRows


def column(*numbers: int) -> Int64s:
    return np.array(numbers, dtype=np.int64)


def place(begin: Int64s, end: Int64s, value: Int64s, factor: float = 1) -> list[list[int]] | None:
    rows = TimedRows(np.arange(len(value)), value, begin, end, int(end.max()))
    spans = place_rows(rows, np.arange(len(value)), factor)
    return None if spans is None else [each.tolist() for each in spans]


def test_a_length_is_the_value_where_they_differ() -> None:
    assert place(column(0, 20), column(20, 30), column(15, 10)) == [[0, 20], [15, 30]]


def test_lengths_that_overlap_have_no_place() -> None:
    assert place(column(0, 10), column(20, 30), column(20, 20)) is None


def test_moments_may_be_late_by_the_widest_alone() -> None:
    begin = column(0, 2, 4)
    assert place(begin, begin, column(5, 4, 3)) == [[0, 5, 9], [5, 9, 12]]
    assert place(begin, begin, column(9, 9, 3)) is None


def test_numbers_that_json_does_not_hold_have_no_place() -> None:
    assert place(column(0), column(0), column(1 << 53)) is None
    assert place(column(0), column(0), column(9_100_000), 1e9) is None
    assert place(column(0), column(0), column(9_000_000), 1e9) == [[0], [9 * 10**15]]


def test_recursion_is_closed_level_by_level() -> None:
    stacks = [[0, 1, 1, 1], [0, 1, 2]]
    spans = RowSpans(column(0, 4), column(4, 6))
    pieces = list_events(stacks, column(0, 1), spans)
    events = json.loads(f"[{','.join(pieces)}]")
    assert [(each["type"], each["frame"], each["at"]) for each in events] == [
        *(("O", 0, 0), ("O", 1, 0), ("O", 1, 0), ("O", 1, 0)),
        *(("C", 1, 4), ("C", 1, 4), ("O", 2, 4)),
        *(("C", 2, 6), ("C", 1, 6), ("C", 0, 6)),
    ]


def test_one_stack_from_moment_to_moment_stays_open() -> None:
    spans = RowSpans(column(0, 4), column(4, 6))
    assert len("".join(list_events([[0], [0]], column(0, 1), spans)).split("}")) == 3
