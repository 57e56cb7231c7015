"""Callers by function."""

from __future__ import annotations

import marshal
from typing import Any

from stackglass_viewer.model.readers.cprofile import read_pstats
from stackglass_viewer.reports.callers import Callers

F, G, H = ("a.py", 1, "f"), ("a.py", 2, "g"), ("a.py", 3, "h")


def list_callers(stats: Any) -> list[list[str]]:
    table = read_pstats(marshal.dumps(stats), lambda: False)
    callers = Callers(table, 0)
    return [
        [table.name[table.edge_caller[edge]] for edge in callers.list_edges(row)]
        for row in range(table.n_functions)
    ]


def test_the_most_expensive_caller_comes_first() -> None:
    edges = {F: (1, 1, 0.1, 0.1), H: (1, 1, 0.2, 0.3), G: (1, 1, 0.2, 0.2)}
    stats = {F: (1, 1, 0.0, 0.6, {}), G: (3, 3, 0.5, 0.6, edges), H: (1, 1, 0, 0, {F: 1})}
    assert list_callers(stats) == [[], ["h", "g", "f"], ["f"]]


def test_a_table_without_edges() -> None:
    assert list_callers({F: (1, 1, 0.0, 0.6, {})}) == [[]]
