"""Text of a table of functions; whole reports are compared in test_top_golden.py."""

from __future__ import annotations

import marshal
from typing import Any

import numpy as np

from stackglass_viewer.model.graph.top import TopTable, build_function_top
from stackglass_viewer.model.readers.cprofile import read_pstats
from stackglass_viewer.model.units import format_value
from stackglass_viewer.reports.top_text import write_top

F, G, H = ("a.py", 1, "f"), ("b.py", 2, "g"), ("", 0, "<built-in h>")


def show(value: int, _unit: str) -> str:
    return str(value)


def list_rows(
    flat: list[int], cum: list[int], rows: list[int], *, total: int = 100, name: str = "f{}"
) -> list[str]:
    names = [name.format(number) for number in range(len(flat))]
    table = TopTable(names, names, np.array(flat), np.array(cum), None, total, "ns")
    lines = write_top(table, np.array(rows), show, None, None)
    return [" ".join(line.split()) for line in lines][1:]


def list_stats(stats: Any, *, has_callers: bool = False) -> list[str]:
    table = read_pstats(marshal.dumps(stats), lambda: False)
    top = build_function_top(table, table.default_type)
    callers_of = table.default_type if has_callers else None
    lines = write_top(top, np.arange(table.n_functions), format_value, table, callers_of)
    return [" ".join(line.split()) for line in lines]


def test_shares_and_their_running_sum() -> None:
    assert list_rows([30, -20, 45], [80, 20, 45], [2, 0, 1]) == [
        "45 45.00% 45.00% 45 45.00% f2",
        "30 30.00% 75.00% 80 80.00% f0",
        "-20 20.00% 55.00% 20 20.00% f1",
    ]


def test_of_nothing_there_are_no_shares() -> None:
    assert list_rows([3], [4], [0], total=0) == ["3 - - 4 - f0"]


def test_a_table_without_rows_says_so() -> None:
    assert list_rows([], [], [], total=0) == ["no samples of this type"]
    assert list_rows([], [], [], total=100) == ["no rows are left"]


def test_columns_stand_below_their_names() -> None:
    table = TopTable(["f"], ["f"], np.array([7]), np.array([8]), None, 10, "ns")
    head, row = write_top(table, np.array([0]), show, None, None)
    for title, cell in (("flat ", "7 "), ("cum ", "8 "), ("cum%", "80.00%"), ("sum%", "70.00%")):
        assert head.index(title) + len(title) == row.rindex(cell) + len(cell)
    assert head.index("name") == row.index("f")


def test_names_of_a_file_cannot_move_the_cursor() -> None:
    assert list_rows([3], [4], [0], name="a\x1b[2J{}")[0].endswith("a\ufffd[2J0")
    assert list_stats({("a.py", 0, "f"): (1, 1, 0, 0, {})})[-1].endswith("1 f a.py")
    hostile = ("a\nb.py", 1, "f\r")
    assert list_stats({hostile: (1, 1, 0, 0, {})})[-1].endswith("1 f\ufffd a\ufffdb.py:1")


def test_calls_with_those_from_outside_of_recursion() -> None:
    stats: Any = {F: (2, 3, 1e-9, 1e-9, {}), G: (4, 4, 0, 0, {}), H: (1, 1, 0, 0, {})}
    head, *rows = list_stats(stats)
    assert head.split()[-2:] == ["calls", "name"]
    assert rows == [
        "1 ns 100.00% 100.00% 1 ns 100.00% 3/2 f a.py:1",
        "0 ns 0.00% 100.00% 0 ns 0.00% 4 g b.py:2",
        "0 ns 0.00% 100.00% 0 ns 0.00% 1 <built-in h>",
    ]


def test_callers_stand_below_their_function_if_asked_for() -> None:
    stats: Any = {F: (1, 1, 0, 0, {}), G: (2, 2, 0.5, 0.5, {F: (2, 2, 0.5, 0.5)})}
    assert list_stats(stats)[-1].endswith("2 g b.py:2")
    assert list_stats(stats, has_callers=True)[-1] == "500 ms 2 from f a.py:1"


def test_what_an_edge_does_not_know_is_a_question_mark() -> None:
    stats: Any = {F: (1, 1, 0, 0, {}), G: (2, 2, 0.5, 0.5, {F: 2})}
    assert list_stats(stats, has_callers=True)[-1] == "? 2 from f a.py:1"
