"""The line of each function with most of its value, itself or in what it called there."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.source_lines import LineTables, find_lines

# Nodes: 1 = main:10, 2 = main:10 > work:5, 3 = main:20, 4 = main:20 > work:6
LINES = LineTables(
    wire_parent=np.array([0, 0, 1, 0, 3], np.int32),
    wire_location=np.array([0, 1, 3, 2, 4], np.int32),
    location_frame=np.array([0, 0, 0, 1, 1], np.int32),
    location_line=np.array([0, 10, 20, 5, 6], np.int64),
)


def find(node: list[int], value: list[int]) -> list[int]:
    nodes, values = np.array(node, np.int32), np.array(value, np.int64)
    found = find_lines(LINES, nodes, values, 2)
    return [int(line) for line in found]


def test_what_is_called_counts_at_the_line_that_calls_it() -> None:
    assert find([2, 3], [5, 3]) == [10, 5]
    assert find([2, 3, 4], [5, 3, 4]) == [20, 5]


def test_below_zero_counts_like_above_and_nothing_has_no_line() -> None:
    assert find([2, 4], [5, -6]) == [20, 6]
    assert find([3], [1]) == [20, 0]
