"""Layouts: boxes in rows, from left to right, never overlapping, whatever the values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.call_tree import CallTree, add_up
from stackglass_viewer.model.graph.flame_layout import (
    FlameLayout,
    Order,
    box_at,
    drop_narrow,
    lay_out,
    lay_out_sizes,
    path_to,
)

TEXT = "main;a 10\nmain;b;c 20\nmain;b;d 5\nz 1"


def name_boxes(tree: CallTree, layout: FlameLayout) -> list[list[tuple[str, float, float]]]:
    rows = []
    for row in range(layout.n_rows):
        boxes = range(layout.row_start[row], layout.row_start[row + 1])
        names = [tree.frame_name[tree.frame[layout.node[b]]] if row else "root" for b in boxes]
        edges = [(float(layout.left[b]), float(layout.right[b])) for b in boxes]
        rows.append([(name, *edge) for name, edge in zip(names, edges, strict=True)])
    return rows


def test_by_value_the_largest_stands_first(tmp_path: Path) -> None:
    tree, values = grow_tree(TEXT, tmp_path)
    assert name_boxes(tree, lay_out(tree, values)) == [
        [("root", 0, 36)],
        [("main", 0, 35), ("z", 35, 36)],
        [("b", 0, 25), ("a", 25, 35)],
        [("c", 0, 20), ("d", 20, 25)],
    ]


def test_by_name_the_alphabet_decides(tmp_path: Path) -> None:
    tree, values = grow_tree(TEXT, tmp_path)
    rows = name_boxes(tree, lay_out(tree, values, Order.BY_NAME))
    assert rows[2] == [("a", 0, 10), ("b", 10, 35)]


def test_what_has_no_value_has_no_box(tmp_path: Path) -> None:
    tree, values = grow_tree("a;b 0\nc 5", tmp_path)
    layout = lay_out(tree, values)
    assert len(layout.node) == 2
    assert (layout.box_of_node >= 0).sum() == 2
    empty = lay_out(tree, add_up(tree, np.zeros(tree.n_nodes, dtype=np.int64), "count"))
    assert (empty.n_rows, empty.extent, len(empty.node)) == (0, 0.0, 0)


def test_what_stands_below_no_box_has_none(tmp_path: Path) -> None:
    tree, _ = grow_tree("a;b 1\nc 5", tmp_path)
    sizes = np.array([6, 0, 1, 5], dtype=np.int64)
    layout = lay_out_sizes(tree, sizes, Order.BY_VALUE)
    assert layout.row_start.tolist() == [0, 1, 2]
    assert layout.node.tolist() == [0, 3]
    assert layout.box_of_node.tolist() == [0, -1, -1, 1]


def test_hits(tmp_path: Path) -> None:
    tree, values = grow_tree(TEXT, tmp_path)
    layout = lay_out(tree, values)
    box = box_at(layout, 2, 25.0)
    assert tree.frame_name[tree.frame[layout.node[box]]] == "a"
    assert box_at(layout, 2, 35.5) == -1
    assert box_at(layout, 3, 26) == -1
    assert box_at(layout, 9, 1) == -1
    assert box_at(layout, 0, -0.1) == -1
    assert path_to(tree, int(layout.node[box]))[0] == 0


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_boxes_nest_and_never_overlap(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    parent = np.array([-1, *(data.draw(st.integers(0, i)) for i in range(n - 1))], dtype=np.int32)
    frame = np.array([-1, *(data.draw(st.integers(0, 3)) for _ in range(n - 1))], dtype=np.int32)
    depth = np.zeros(n, dtype=np.int32)
    for node in range(1, n):
        depth[node] = depth[parent[node]] + 1
    names = ("d", "c", "b", "a")
    none = np.zeros(n, dtype=np.bool_)
    tree = CallTree(parent, frame, depth, none, names, names, np.empty(0, dtype=np.int32))
    own = np.array([data.draw(st.integers(-3, 9)) for _ in range(n)], dtype=np.int64)
    values = add_up(tree, own, "count")
    layout = lay_out(tree, values, data.draw(st.sampled_from(list(Order))))
    for row in range(layout.n_rows):
        first, last = layout.row_start[row], layout.row_start[row + 1]
        assert (depth[layout.node[first:last]] == row).all()
        assert (layout.left[first:last] < layout.right[first:last]).all()
        assert (layout.right[first : last - 1] <= layout.left[first + 1 : last]).all()
        for box in range(first, last):
            node = layout.node[box]
            assert layout.box_of_node[node] == box
            above = layout.box_of_node[parent[node]] if row else box
            assert layout.left[above] <= layout.left[box]
            assert layout.right[box] <= layout.right[above]
    if (own >= 0).all():
        assert set(layout.node.tolist()) == set(np.flatnonzero(values.total).tolist())


def test_narrow_boxes_are_left_out_with_all_that_is_in_them(tmp_path: Path) -> None:
    stacks = "a;b;deep;deeper 30\na;c;inner 5\na;c 4\nd 60\ne;f;g;h;i 1"
    tree, values = grow_tree(stacks, tmp_path)
    layout = lay_out(tree, values)
    kept = drop_narrow(layout, 0.09)
    names = {tree.frame_name[frame] for frame in tree.frame[kept.node[1:]].tolist()}
    assert names == {"a", "b", "deep", "deeper", "c", "d"}
    assert kept.extent == layout.extent == 100
    assert kept.n_rows == 5
    for node, box in enumerate(kept.box_of_node.tolist()):
        whole = int(layout.box_of_node[node])
        width = layout.right[whole] - layout.left[whole]
        assert (box >= 0) == (width >= 9)
        if box >= 0:
            assert kept.node[box] == node
            assert (kept.left[box], kept.right[box]) == (layout.left[whole], layout.right[whole])
            row = int(tree.depth[node])
            assert kept.row_start[row] <= box < kept.row_start[row + 1]
    assert drop_narrow(layout, 0.0) is layout
    assert drop_narrow(layout, 0.5).n_rows == 2
