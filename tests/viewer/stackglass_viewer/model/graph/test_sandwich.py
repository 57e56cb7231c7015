"""A function's callers and callees: exact integers, recursion, differences."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.profiles import grow_tree
from harness.small_trees import NAMES, make_tree, some_stacks
from stackglass_viewer.model.graph.call_tree import add_up
from stackglass_viewer.model.graph.sandwich import Half, Sandwich, build_sandwich
from stackglass_viewer.model.graph.top import build_top

Totals = dict[tuple[str, ...], int]


def slice_at(text: str, name: str, folder: Path) -> Sandwich:
    tree, values = grow_tree(text, folder)
    return build_sandwich(tree, values, tree.frame_name.index(name))


def list_totals(half: Half, column: str = "total") -> Totals:
    """By path from the function, ``()`` being itself; what has nothing is left out."""
    tree = half.tree
    numbers = {"total": half.values.total, "own": half.values.own, "size": half.size}[column]
    paths: list[tuple[str, ...]] = [()]
    for node in range(1, tree.n_nodes):
        assert tree.parent[node] < node
        assert tree.depth[node] == tree.depth[tree.parent[node]] + 1
        paths.append((*paths[tree.parent[node]], tree.frame_name[tree.frame[node]]))
    assert len(set(paths)) == len(paths)
    return {path: int(number) for path, number in zip(paths, numbers, strict=True) if number}


def test_paths_to_and_from_a_function_are_merged(tmp_path: Path) -> None:
    cut = slice_at(
        """
        main;serve;render;escape 3
        main;serve;render;dumps;escape 4
        main;mail;render;escape 5
        main;mail;render 6
        main;mail 100
        render 7
        """,
        "render",
        tmp_path,
    )
    assert (cut.flat, cut.cum) == (13, 25)
    assert list_totals(cut.callees) == {
        (): 25,
        ("escape",): 8,
        ("dumps",): 4,
        ("dumps", "escape"): 4,
    }
    assert list_totals(cut.callees, "own") == {(): 13, ("escape",): 8, ("dumps", "escape"): 4}
    assert list_totals(cut.callers) == {
        (): 25,
        ("serve",): 7,
        ("serve", "main"): 7,
        ("mail",): 11,
        ("mail", "main"): 11,
    }
    # Its own time, by the paths that lead to it.
    assert list_totals(cut.callers, "own") == {(): 13, ("mail",): 6, ("mail", "main"): 6}


def test_recursion_counts_once_from_the_outermost_call_on(tmp_path: Path) -> None:
    cut = slice_at("main;fib;fib;fib 1\nmain;fib;fib 2\nmain;fib;add 4", "fib", tmp_path)
    assert (cut.flat, cut.cum) == (3, 7)
    assert list_totals(cut.callers) == {(): 7, ("main",): 7}
    assert list_totals(cut.callees) == {(): 7, ("fib",): 3, ("fib", "fib"): 1, ("add",): 4}
    assert list_totals(cut.callers, "own") == {(): 3, ("main",): 3}


def test_mutual_recursion(tmp_path: Path) -> None:
    text = "main;even;odd;even;odd 1\nmain;odd;even;leaf 2\nmain;even 4"
    cut = slice_at(text, "odd", tmp_path)
    assert (cut.flat, cut.cum) == (1, 3)
    assert list_totals(cut.callers) == {
        (): 3,
        ("even",): 1,
        ("even", "main"): 1,
        ("main",): 2,
    }
    assert list_totals(cut.callees) == {
        (): 3,
        ("even",): 3,
        ("even", "odd"): 1,
        ("even", "leaf"): 2,
    }


def test_a_function_that_calls_nobody_and_one_that_nobody_calls(tmp_path: Path) -> None:
    assert list_totals(slice_at("main;leaf 5", "leaf", tmp_path).callees) == {(): 5}
    assert list_totals(slice_at("main;leaf 5", "main", tmp_path).callers) == {(): 5}


def test_differences_cancel_out_in_values_and_add_up_in_widths(tmp_path: Path) -> None:
    tree, values = grow_tree("a;f;x 1\nb;f;x 2\nb;f 3\na;f;f 4", tmp_path)
    own = values.own.copy()
    own[values.own == 2] = -2  # b;f;x has less than before
    own[values.own == 4] = -4
    cut = build_sandwich(tree, add_up(tree, own, "bytes"), tree.frame_name.index("f"))
    assert (cut.flat, cut.cum) == (-1, -2)
    assert list_totals(cut.callees) == {(): -2, ("x",): -1, ("f",): -4}
    assert list_totals(cut.callees, "size") == {(): 10, ("x",): 3, ("f",): 4}
    assert list_totals(cut.callers) == {(): -2, ("a",): -3, ("b",): 1}
    assert list_totals(cut.callers, "size") == {(): 10, ("a",): 5, ("b",): 5}
    assert list_totals(cut.callers, "own") == {(): -1, ("a",): -4, ("b",): 3}


@given(stacks=some_stacks, name=st.sampled_from(NAMES))
@settings(max_examples=150, deadline=None)
def test_any_stacks_are_cut_as_a_few_lines_of_python_cut_them(
    stacks: list[tuple[list[str], int]], name: str
) -> None:
    tree, values = make_tree(stacks)
    cut = build_sandwich(tree, values, NAMES.index(name))
    callers: Totals = {}
    callees: Totals = {}
    for stack, value in stacks:
        if name in stack:
            at = stack.index(name)
            up, down = stack[:at][::-1], stack[at + 1 :]
            for path, totals in ((up, callers), (down, callees)):
                for length in range(len(path) + 1):
                    key = tuple(path[:length])
                    totals[key] = totals.get(key, 0) + value
    assert list_totals(cut.callers) == {path: total for path, total in callers.items() if total}
    assert list_totals(cut.callees) == {path: total for path, total in callees.items() if total}
    top = build_top(tree, values)
    assert (cut.flat, cut.cum) == (top.flat[cut.function], top.cum[cut.function])
    assert cut.callers.size[0] == cut.callees.size[0]
    if values.own.min() >= 0:
        assert cut.callers.size[0] == cut.cum


@pytest.mark.parametrize("depth", [1, 2, 3, 1000, 5000])
def test_stacks_may_be_deep(depth: int) -> None:
    tree, values = make_tree([(["a"] * depth + ["b"] + ["c"] * depth, 3)])
    cut = build_sandwich(tree, values, NAMES.index("b"))
    assert cut.cum == 3
    assert cut.callers.tree.n_nodes == cut.callees.tree.n_nodes == depth + 1
    assert build_sandwich(tree, values, NAMES.index("a")).callers.tree.n_nodes == 1
