"""Edges of a call graph, summed from a tree as pprof sums them from samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.profiles import grow_tree
from harness.small_trees import NAMES, Stacks, make_tree, some_stacks
from stackglass_viewer.model.graph.call_edges import CallEdges, sum_table_edges, sum_tree_edges
from stackglass_viewer.model.profile.pstats_table import FunctionTable

Edges = dict[tuple[str, str], tuple[int, bool]]


def list_edges(edges: CallEdges, names: tuple[str, ...]) -> Edges:
    """Weight, and whether it skips what is left out, by caller and callee."""
    columns = (edges.caller, edges.callee, edges.weight, edges.is_residual)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    found = {
        (names[caller], names[callee]): (weight, skips) for caller, callee, weight, skips in rows
    }
    assert len(found) == len(rows)
    return found


def sum_text(text: str, folder: Path, kept: str) -> Edges:
    tree, values = grow_tree(text, folder)
    is_kept = np.array([name in kept.split() for name in tree.frame_name])
    return list_edges(sum_tree_edges(tree, values, is_kept), tuple(tree.frame_name))


def test_calls_count_once_for_each_stack(tmp_path: Path) -> None:
    assert sum_text("main;f;g;f;g 3\nmain;f 4\nmain;h;f 5", tmp_path, "main f g h") == {
        ("main", "f"): (7, False),
        ("f", "g"): (3, False),
        ("g", "f"): (3, False),
        ("main", "h"): (5, False),
        ("h", "f"): (5, False),
    }


def test_what_is_left_out_is_skipped(tmp_path: Path) -> None:
    text = "main;f;g;h 3\nmain;g;h 4\nmain;f;h 5"
    assert sum_text(text, tmp_path, "main h") == {("main", "h"): (12, True)}
    assert sum_text(text, tmp_path, "main g h") == {
        ("main", "g"): (7, True),
        ("g", "h"): (7, False),
        ("main", "h"): (5, True),
    }


def test_a_function_that_calls_itself_has_an_edge_only_where_it_does_so_directly(
    tmp_path: Path,
) -> None:
    text = "main;f;f;f 3\nmain;f;g;f 4"
    assert sum_text(text, tmp_path, "main f") == {
        ("main", "f"): (7, False),
        ("f", "f"): (3, False),
    }


def sum_by_stack(stacks: Stacks, kept: frozenset[str]) -> Edges:
    """As pprof does it, sample by sample."""
    own: dict[tuple[str, ...], int] = {}
    for names, value in stacks:
        own[tuple(names)] = own.get(tuple(names), 0) + value
    edges: Edges = {}
    for stack, value in own.items():
        if not value:
            continue
        seen: set[tuple[str, str]] = set()
        parent, skips = "", False
        for name in stack:
            if name not in kept:
                skips = True
                continue
            pair = (parent, name)
            if parent and pair not in seen and (name != parent or not skips):
                seen.add(pair)
                before = edges.get(pair, (0, False))
                edges[pair] = (before[0] + value, before[1] or skips)
            parent, skips = name, False
    return edges


@given(stacks=some_stacks, kept=st.frozensets(st.sampled_from(NAMES)))
@settings(max_examples=200, deadline=None)
def test_any_tree_has_the_edges_of_its_stacks(stacks: Stacks, kept: frozenset[str]) -> None:
    tree, values = make_tree(stacks)
    is_kept = np.array([name in kept for name in NAMES])
    edges = list_edges(sum_tree_edges(tree, values, is_kept), tuple(NAMES))
    assert edges == sum_by_stack(stacks, kept)


@pytest.mark.parametrize("depth", [1, 2, 2000])
def test_stacks_may_be_deep(depth: int) -> None:
    tree, values = make_tree([(["a", "b"] * depth, 3)])
    edges = sum_tree_edges(tree, values, np.array([True, True, False, False]))
    expected: Edges = {("a", "b"): (3, False)}
    if depth > 1:
        expected["b", "a"] = (3, False)
    assert list_edges(edges, tuple(NAMES)) == expected


def test_a_table_has_the_calls_that_its_file_records() -> None:
    numbers = np.array([1, 2, 3], dtype=np.int64)
    callers, callees = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
    table = FunctionTable(
        name=("main", "f", "g"),
        file=("", "", ""),
        line=np.zeros(3, np.int32),
        n_calls=numbers,
        n_primitive_calls=numbers,
        own=numbers.reshape(1, 3),
        total=numbers.reshape(1, 3),
        edge_caller=callers,
        edge_callee=callees,
        edge_n_calls=np.array([10, 20, 30], np.int64),
        edge_n_primitive_calls=np.array([10, 20, 30], np.int64),
        edge_own=np.array([[1, 1, 1]], np.int64),
        edge_total=np.array([[7, -1, 9]], np.int64),
    )
    names = tuple(table.name)
    everything = np.ones(3, dtype=bool)
    assert list_edges(sum_table_edges(table, 0, everything), names) == {
        ("main", "f"): (7, False),
        ("main", "g"): (0, False),  # not known
        ("f", "g"): (9, False),
    }
    assert list_edges(sum_table_edges(table, 1, np.array([True, False, True])), names) == {
        ("main", "g"): (20, False)
    }
