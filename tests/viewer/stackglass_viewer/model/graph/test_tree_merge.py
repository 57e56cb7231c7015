"""Merged trees: one node for each path, over several calls and growths of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from harness.profiles import grow_tree
from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.graph.tree_merge import MergedTree

ROOT = np.zeros(1, dtype=np.int32)


def make_merged(tmp_path: Path) -> MergedTree:
    tree, _ = grow_tree("a;b 1\nc 1", tmp_path)
    return MergedTree(tree)


def column(*numbers: int) -> Int32s:
    return np.array(numbers, dtype=np.int32)


def test_equal_paths_are_one_node(tmp_path: Path) -> None:
    merged = make_merged(tmp_path)
    # Numbers of the new ones follow the root's 0: 1 = a, 2 = a;b, 3 = a again, 4 = its b, 5 = b.
    nodes = merged.grow(column(0, 1, 0, 3, 0), column(0, 1, 0, 1, 1), ROOT)
    assert nodes.tolist() == [1, 2, 1, 2, 3]
    again = merged.grow(column(0, 1), column(1, 2), ROOT)
    assert again.tolist() == [3, 4]
    below = merged.grow(column(1, 0), column(2, 1), column(0, 2))
    assert below.tolist() == [5, 3]
    tree = merged.view()
    assert tree.parent.tolist() == [-1, 0, 1, 0, 3, 2]
    assert tree.frame.tolist() == [-1, 0, 1, 1, 2, 2]
    assert tree.depth.tolist() == [0, 1, 2, 1, 2, 3]


def test_nodes_are_found_again_after_the_table_of_children_grew(tmp_path: Path) -> None:
    merged = make_merged(tmp_path)
    frames = np.arange(5000, dtype=np.int32)
    first = merged.grow(np.zeros(5000, dtype=np.int32), frames[:], ROOT)
    assert sorted(first.tolist()) == list(range(1, 5001))
    again = merged.grow(np.zeros(5000, dtype=np.int32), frames[::-1].copy(), ROOT)
    assert again.tolist() == first[::-1].tolist()
    more = merged.grow(column(0, 0), column(5000, 17), ROOT)
    assert more.tolist() == [5001, int(first[17])]


def test_the_view_has_the_frames_of_the_source_and_marks_no_recursion(tmp_path: Path) -> None:
    tree, _ = grow_tree("a;b;a 1", tmp_path)
    merged = MergedTree(tree)
    assert merged.view().n_nodes == 1
    merged.grow(column(0, 1, 2), column(0, 1, 0), ROOT)
    view = merged.view()
    assert list(view.frame_name) == list(tree.frame_name)
    assert list(view.frame_file) == list(tree.frame_file)
    assert view.n_nodes == 4
    assert not view.is_recursive.any()
    assert tree.is_recursive.any()
