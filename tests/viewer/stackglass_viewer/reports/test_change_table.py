"""Which function of one profile is which of another."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.reports.change_table import compare


def make_table(rows: list[tuple[str, int, int]]) -> TopTable:
    """Name, line, and what it costs."""
    flat = np.array([value for _, _, value in rows])
    names, lines = [name for name, _, _ in rows], np.array([line for _, line, _ in rows])
    return TopTable(names, ["a.py"] * len(rows), flat, flat, None, 100, "ns", lines)


def test_functions_may_move_to_another_line() -> None:
    before = make_table([("__init__", 7, 10), ("__init__", 3, 20), ("gone", 9, 30)])
    after = make_table([("new", 1, 5), ("__init__", 5, 21), ("__init__", 11, 10)])
    table = compare(before, after, has_places=True, is_by_cum=False)
    assert [(row.name, row.line, row.cum_before, row.cum_after) for row in table.rows] == [
        ("gone", 9, 30, 0),
        ("new", 1, 0, 5),
        ("__init__", 5, 20, 21),
    ]


def test_order_is_by_size_of_change() -> None:
    names = [("a", 0, 10), ("b", 0, 10), ("c", 0, 10)]
    after = [("a", 0, 11), ("b", 0, 2), ("c", 0, 15)]
    for is_by_cum in (False, True):
        table = compare(make_table(names), make_table(after), has_places=False, is_by_cum=is_by_cum)
        assert [row.name for row in table.rows] == ["b", "c", "a"]
