"""The inverted tree beside a plain sum over the stacks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.call_tree import add_up
from stackglass_viewer.model.graph.inverted_tree import invert_tree
from stackglass_viewer.model.graph.sandwich import Half

STACKS = """
main;serve;render;escape 30
main;serve;render;dumps;escape 40
main;mail;render;escape 50
main;mail;mail 70
main;mail 8
idle 5
"""


def sum_paths(half: Half) -> dict[tuple[str, ...], int]:
    """Totals by path from the first row."""
    tree = half.tree
    paths: list[tuple[str, ...]] = [()]
    for node in range(1, tree.n_nodes):
        paths.append((*paths[tree.parent[node]], tree.frame_name[tree.frame[node]]))
    return dict(zip(paths, half.values.total.tolist(), strict=True))


def expect_paths(text: str, unit: int) -> Counter[tuple[str, ...]]:
    expected: Counter[tuple[str, ...]] = Counter()
    for line in text.strip().splitlines():
        stack, _, value = line.rpartition(" ")
        names = tuple(reversed(stack.split(";")))
        for end in range(len(names) + 1):
            expected[names[:end]] += int(value) * unit
    return expected


def test_each_stack_counts_once_on_the_path_from_its_end(tmp_path: Path) -> None:
    tree, values = grow_tree(STACKS, tmp_path)
    half = invert_tree(tree, values)
    unit = int(values.total[0]) // 203
    assert sum_paths(half) == expect_paths(STACKS, unit)
    flat = {
        half.tree.frame_name[half.tree.frame[node]]: int(half.values.own[node]) // unit
        for node in np.flatnonzero(half.tree.depth == 1)
    }
    assert flat == {"escape": 120, "mail": 78, "idle": 5}
    assert not half.values.own[half.tree.depth > 1].any()
    assert half.size.tolist() == half.values.total.tolist()


def test_what_grew_and_what_shrank_do_not_cancel_out_in_the_widths(tmp_path: Path) -> None:
    tree, values = grow_tree("main;serve;escape 3\nmain;mail;escape 2", tmp_path)
    ends = np.flatnonzero(values.own)
    own = values.own.copy()
    own[ends[1]] *= -1
    half = invert_tree(tree, add_up(tree, own, values.unit))
    assert int(half.values.total[1]) == int(own.sum())
    assert int(half.size[1]) == int(np.abs(own).sum())
    assert int(half.size[0]) == int(half.size[1])


def test_a_stack_without_frames_is_the_roots(tmp_path: Path) -> None:
    tree, values = grow_tree(STACKS, tmp_path)
    own = values.own.copy()
    own[0] = 7
    half = invert_tree(tree, add_up(tree, own, values.unit))
    assert int(half.values.total[0]) == int(own.sum())
    assert int(half.values.own[0]) == 7


def test_an_empty_tree_is_a_root(tmp_path: Path) -> None:
    tree, values = grow_tree(STACKS, tmp_path)
    nothing = add_up(tree, np.zeros(tree.n_nodes, dtype=np.int64), values.unit)
    assert invert_tree(tree, nothing).tree.n_nodes == 1


def test_of_very_many_paths_the_thinnest_have_no_callers(tmp_path: Path) -> None:
    tree, values = grow_tree("main;a;b;c 1000000\nmain;x;y;z 1", tmp_path)
    paths = sum_paths(invert_tree(tree, values, most_steps=4))
    assert ("c", "b", "a", "main") in paths
    assert ("z",) in paths
    assert ("z", "y") not in paths
    assert paths[()] == int(values.total[0])
