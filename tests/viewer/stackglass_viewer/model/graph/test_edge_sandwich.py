"""The sandwich of cProfile's files: direct callers and callees, with the values of their pairs."""

from __future__ import annotations

import cProfile
import marshal
import pstats
from pathlib import Path
from typing import Any

import pytest

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.edge_sandwich import build_edge_sandwich
from stackglass_viewer.model.graph.sandwich import Half
from stackglass_viewer.model.profile.pstats_table import CALLS, FunctionTable
from stackglass_viewer.model.readers.opener import open_profile

TIME = TypeId(0)
MS = 1_000_000
MAIN, SERVE, MAIL, DUMP, FIB = (("p.py", line, name) for line, name in enumerate(
    ("main", "serve", "mail", "dump", "fib"), start=1
))  # fmt: skip
STATS: dict[Any, Any] = {
    MAIN: (1, 1, 0.010, 0.150, {}),
    SERVE: (2, 2, 0.020, 0.090, {MAIN: (2, 2, 0.020, 0.090)}),
    MAIL: (1, 1, 0.010, 0.050, {MAIN: (1, 1, 0.010, 0.050)}),
    DUMP: (9, 9, 0.080, 0.080, {SERVE: (6, 6, 0.050, 0.050), MAIL: (3, 3, 0.030, 0.030)}),
    FIB: (7, 1, 0.030, 0.030, {SERVE: (1, 1, 0.005, 0.020), FIB: (6, 3, 0.025, 0.040)}),
}


@pytest.fixture
def table(tmp_path: Path) -> FunctionTable:
    path = tmp_path / "p.prof"
    path.write_bytes(marshal.dumps(STATS))
    opened = open_profile(path)
    assert isinstance(opened, FunctionTable)
    return opened


def list_boxes(half: Half) -> dict[str, tuple[int, int]]:
    """Own and total of each box but the function's."""
    tree, values = half.tree, half.values
    assert tree.parent.tolist() == [-1, *[0] * (tree.n_nodes - 1)]
    return {
        tree.frame_name[int(tree.frame[node])]: (int(values.own[node]), int(values.total[node]))
        for node in range(1, tree.n_nodes)
    }


def test_boxes_are_the_pairs_of_the_file(table: FunctionTable) -> None:
    cut = build_edge_sandwich(table, TIME, table.name.index("serve"))
    assert (cut.flat, cut.cum) == (20 * MS, 90 * MS)
    assert list_boxes(cut.callers) == {"main": (20 * MS, 90 * MS)}
    assert list_boxes(cut.callees) == {"dump": (50 * MS, 50 * MS), "fib": (5 * MS, 20 * MS)}
    assert cut.callers.size[0] == cut.callees.size[0] == 90 * MS


def test_callers_share_what_the_function_has(table: FunctionTable) -> None:
    cut = build_edge_sandwich(table, TIME, table.name.index("dump"))
    assert list_boxes(cut.callers) == {"serve": (50 * MS, 50 * MS), "mail": (30 * MS, 30 * MS)}
    assert list_boxes(cut.callees) == {}
    assert cut.callees.size.tolist() == [80 * MS]


def test_recursion_is_among_the_callees_and_fits_between_the_edges(table: FunctionTable) -> None:
    cut = build_edge_sandwich(table, TIME, table.name.index("fib"))
    assert list_boxes(cut.callers) == {"serve": (5 * MS, 20 * MS)}
    assert list_boxes(cut.callees) == {"fib": (25 * MS, 40 * MS)}
    assert cut.callees.size.tolist() == [40 * MS, 40 * MS]  # more than its cum of 30 ms


def test_calls_are_counted_too(table: FunctionTable) -> None:
    calls = TypeId([each.name for each in table.sample_types].index(CALLS))
    cut = build_edge_sandwich(table, calls, table.name.index("serve"))
    assert (cut.flat, cut.cum) == (2, 2)
    assert list_boxes(cut.callers) == {"main": (2, 2)}
    assert list_boxes(cut.callees) == {"dump": (6, 6), "fib": (1, 1)}
    assert cut.callees.size[0] == 7


def test_a_real_file_agrees_with_pstats(tmp_path: Path) -> None:
    profiler = cProfile.Profile()
    profiler.runcall(lambda: sorted([3, 1, 2], key=lambda value: [abs(value)]))
    path = tmp_path / "real.prof"
    profiler.dump_stats(path)
    table = open_profile(path)
    assert isinstance(table, FunctionTable)
    stats: dict[Any, Any] = pstats.Stats(str(path)).stats  # type: ignore[attr-defined]
    n_pairs = 0
    for function in range(table.n_functions):
        cut = build_edge_sandwich(table, TIME, function)
        n_pairs += cut.callers.tree.n_nodes - 1
    assert n_pairs == sum(len(callers) for *_, callers in stats.values()) > 0
