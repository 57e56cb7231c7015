"""A tree split by a label: each value has the stacks of its own samples, and nothing else."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.graph.split_tree import SplitTree, split_tree

NAMES = ("(no route)", "route = /a", "route = /b")
ROOTS = np.array([0, 1, 2, 1], dtype=np.int32)  # of four bearers


def make_tree() -> CallTree:
    """root → f → f, g; root → h."""
    return CallTree(
        parent=np.array([-1, 0, 1, 1, 0], dtype=np.int32),
        frame=np.array([-1, 0, 0, 1, 2], dtype=np.int32),
        depth=np.array([0, 1, 2, 2, 1], dtype=np.int32),
        is_recursive=np.array([False, False, True, False, False]),
        frame_name=("f", "g", "h"),
        frame_file=("f.py", "", ""),
        sample_node=np.empty(0, dtype=np.int32),
        frame_line=np.array([7, 8, 9], dtype=np.int64),
    )


def split(*rows: tuple[int, int, int]) -> SplitTree:
    """Rows of (node, bearer, weight)."""
    node, bearer, weight = (np.array(each, dtype=np.int64) for each in zip(*rows, strict=True))
    labelled = LabelledRows(node.astype(np.int32), bearer.astype(np.int32), weight)
    return split_tree(make_tree(), labelled, ROOTS, NAMES, "count")


def list_paths(made: SplitTree) -> dict[str, tuple[int, int]]:
    """Own value and total by path."""
    tree, paths = made.tree, [""]
    for node in range(1, tree.n_nodes):
        name = tree.frame_name[tree.frame[node]]
        paths.append(f"{paths[tree.parent[node]]}/{name}")
        assert tree.depth[node] == paths[-1].count("/") - paths[-1].count("= /")
        assert tree.parent[node] < node
    values = zip(made.values.own.tolist(), made.values.total.tolist(), strict=True)
    return dict(zip(paths, values, strict=True))


def test_each_value_has_the_stacks_of_its_samples() -> None:
    made = split((3, 1, 10), (3, 3, 5), (2, 2, 20), (4, 0, 3))
    assert list_paths(made) == {
        "": (0, 38),
        "/(no route)": (0, 3),
        "/(no route)/h": (3, 3),
        "/route = /a": (0, 15),
        "/route = /a/f": (0, 15),
        "/route = /a/f/g": (15, 15),
        "/route = /b": (0, 20),
        "/route = /b/f": (0, 20),
        "/route = /b/f/f": (20, 20),
    }
    recursive = np.flatnonzero(made.tree.is_recursive).tolist()
    assert [made.values.own.tolist()[node] for node in recursive] == [20]
    assert made.tree.frame_line is not None
    assert made.tree.frame_line.tolist() == [7, 8, 9, 0, 0, 0]


def test_samples_are_found_at_the_new_nodes() -> None:
    made = split((3, 1, 10), (2, 2, 20), (0, 1, 4))
    own = np.zeros(made.tree.n_nodes, dtype=np.int64)
    np.add.at(own, made.rows.node, made.rows.weight)
    assert own.tolist() == made.values.own.tolist()
    assert list_paths(made)["/route = /a"] == (4, 14)  # an empty stack ends at the value
