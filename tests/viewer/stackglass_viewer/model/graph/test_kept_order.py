"""Kept order: boxes stay beside their brothers until one of these is clearly larger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.flame_layout import FlameLayout, Order, lay_out
from stackglass_viewer.model.graph.kept_order import KeptOrder


class Graph:
    """A graph that is refreshed again and again."""

    def __init__(self) -> None:
        self.kept = KeptOrder()

    def show(self, tree: CallTree, values: NodeValues, subject: object = "cpu") -> list[str]:
        """The names right below the root, from left to right."""
        layout = lay_out(tree, values, before=self.kept.find(tree, subject))
        self.kept.keep(tree, layout, subject)
        return name_row(tree, layout)


def name_row(tree: CallTree, layout: FlameLayout, row: int = 1) -> list[str]:
    first, last = layout.row_start[row], layout.row_start[row + 1]
    return [tree.frame_name[frame] for frame in tree.frame[layout.node[first:last]].tolist()]


def make_brothers(*sizes: int) -> tuple[CallTree, NodeValues]:
    """Named ``0``, ``1`` and so on."""
    n = len(sizes)
    names = tuple(map(str, range(n)))
    parent = np.array([-1, *[0] * n], np.int32)
    frame = np.arange(-1, n, dtype=np.int32)
    depth = np.array([0, *[1] * n], np.int32)
    none = np.zeros(n + 1, dtype=np.bool_)
    tree = CallTree(parent, frame, depth, none, names, names, np.empty(0, np.int32))
    return tree, add_up(tree, np.array([0, *sizes], np.int64), "count")


def test_brothers_of_about_the_same_cost_keep_their_places() -> None:
    graph = Graph()
    assert graph.show(*make_brothers(100, 101, 1)) == ["1", "0", "2"]
    assert graph.show(*make_brothers(110, 102, 1)) == ["1", "0", "2"]
    assert graph.show(*make_brothers(121, 103, 1)) == ["1", "0", "2"]


def test_one_that_is_clearly_larger_goes_forward() -> None:
    graph = Graph()
    graph.show(*make_brothers(100, 101, 1))
    assert graph.show(*make_brothers(140, 103, 1)) == ["0", "1", "2"]


def test_a_few_samples_move_nothing() -> None:
    """The smallest box is about a sample: by chance there are 14 in the place of 7."""
    graph = Graph()
    assert graph.show(*make_brothers(3, 4, 1, 900)) == ["3", "1", "0", "2"]
    assert graph.show(*make_brothers(14, 4, 1, 900)) == ["3", "1", "0", "2"]
    assert graph.show(*make_brothers(16, 4, 1, 900)) == ["3", "0", "1", "2"]


def test_without_a_small_box_a_part_of_the_whole_is_clear() -> None:
    """The smallest is much more than a sample then."""
    graph = Graph()
    assert graph.show(*make_brothers(1000, 1001)) == ["1", "0"]
    assert graph.show(*make_brothers(1190, 1000)) == ["1", "0"]
    assert graph.show(*make_brothers(1250, 1000)) == ["0", "1"]


def test_one_that_goes_forward_passes_what_is_smaller_only() -> None:
    graph = Graph()
    graph.show(*make_brothers(300, 103, 102, 101, 1))
    assert graph.show(*make_brothers(300, 103, 102, 200, 1)) == ["0", "3", "1", "2", "4"]


def test_new_boxes_come_last_unless_they_are_clearly_larger() -> None:
    graph = Graph()
    graph.show(*make_brothers(100, 90, 1))
    assert graph.show(*make_brothers(100, 90, 1, 95, 3)) == ["0", "1", "3", "2", "4"]


def test_what_is_asked_for_anew_stands_exactly_by_cost() -> None:
    graph = Graph()
    graph.show(*make_brothers(100, 101, 1))
    assert graph.show(*make_brothers(102, 101, 1), "heap") == ["0", "1", "2"]
    assert graph.show(*make_brothers(101, 102, 1), None) == ["1", "0", "2"]
    assert graph.show(*make_brothers(102, 101, 1)) == ["0", "1", "2"]


def test_other_orders_are_as_they_were() -> None:
    graph = Graph()
    tree, values = make_brothers(100, 101)
    graph.show(tree, values)
    layout = lay_out(tree, values, Order.BY_NAME, before=graph.kept.find(tree, "cpu"))
    assert name_row(tree, layout) == ["0", "1"]


def test_boxes_are_found_again_where_nodes_have_other_numbers(tmp_path: Path) -> None:
    """As in a tree that is merged from parts of another one."""
    graph = Graph()
    tree, values = grow_tree("a;x 50\na;y 51\nb 100\nc 1", tmp_path)
    assert graph.show(tree, values) == ["a", "b", "c"]
    tree, values = grow_tree("c 1\nnew 2\nb 103\na;x 52\na;y 50", tmp_path)
    before = graph.kept.find(tree, "cpu")
    assert name_row(tree, lay_out(tree, values)) == ["b", "a", "new", "c"]
    layout = lay_out(tree, values, before=before)
    assert name_row(tree, layout) == ["a", "b", "c", "new"]
    assert name_row(tree, layout, 2) == ["y", "x"]


def test_a_frame_of_the_same_number_and_another_name_is_another_one() -> None:
    graph = Graph()
    tree, values = make_brothers(100, 101)
    graph.show(tree, values)
    renamed = replace(tree, frame_name=("1", "0"), frame_file=("1", "0"))
    assert graph.show(renamed, values) == ["1", "0"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), min_size=30, max_size=30), min_size=2, max_size=6))
def test_nothing_stands_behind_one_that_is_clearly_smaller(refreshes: list[list[int]]) -> None:
    graph = Graph()
    for number, sizes in enumerate(refreshes):
        sizes[0] = 1
        row = [sizes[int(name)] for name in graph.show(*make_brothers(*sizes))]
        assert sorted(row) == sorted(size for size in sizes if size)
        for at, size in enumerate(row):
            if number == 0:
                assert size == max(row[at:])
            for other in row[at:]:
                is_more = other - size > size / 5 + 1 and other - size > sum(row) / 16
                assert not is_more
