"""The order by time: what was seen first stands first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.profiles import read_stacks
from stackglass_viewer.model.graph.call_tree import CallTree, build_call_tree, sum_values
from stackglass_viewer.model.graph.first_seen import find_first_seen
from stackglass_viewer.model.graph.flame_layout import FlameLayout, Order, lay_out
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_times import TimedRows, order_times

TEXT = "main;work;a 10\nmain;load;b 30\nmain;work;c 50\nidle 99"


def name_rows(tree: CallTree, layout: FlameLayout) -> list[list[str]]:
    """From left to right, without the root."""
    return [
        [
            tree.frame_name[tree.frame[layout.node[box]]]
            for box in range(layout.row_start[row], layout.row_start[row + 1])
        ]
        for row in range(1, layout.n_rows)
    ]


def lay_out_by_time(profile: Profile) -> list[list[str]]:
    tree = build_call_tree(profile)
    values = sum_values(tree, profile.samples.values[1], "nanoseconds")
    first = find_first_seen(tree, profile.times)
    return name_rows(tree, lay_out(tree, values, Order.BY_TIME, first))


def test_without_times_the_order_of_the_file_counts(tmp_path: Path) -> None:
    profile = read_stacks(TEXT, tmp_path)
    assert lay_out_by_time(profile) == [["main", "idle"], ["work", "load"], ["a", "c", "b"]]


def test_times_come_before_the_order_of_the_file(tmp_path: Path) -> None:
    profile = read_stacks(TEXT, tmp_path)
    begin = np.array([500, 100, 300, 0], dtype=np.int64)
    rows = TimedRows(np.arange(4, dtype=np.int32), begin, begin + 50, tuple(profile.samples.values))
    timed = replace(profile, times=order_times(rows))
    assert lay_out_by_time(timed) == [["idle", "main"], ["load", "work"], ["b", "c", "a"]]


def test_nodes_of_a_live_tree_are_in_the_order_of_time(tmp_path: Path) -> None:
    profile = read_stacks(TEXT, tmp_path)
    tree = build_call_tree(profile)
    values = sum_values(tree, profile.samples.values[1], "nanoseconds")
    layout = lay_out(tree, values, Order.BY_TIME)
    for row in range(1, layout.n_rows):
        nodes = layout.node[layout.row_start[row] : layout.row_start[row + 1]]
        parents = tree.parent[nodes]
        assert all(
            nodes[at] < nodes[at + 1]
            for at in range(len(nodes) - 1)
            if parents[at] == parents[at + 1]
        )


def test_widths_are_the_same_in_any_order(tmp_path: Path) -> None:
    profile = read_stacks(TEXT, tmp_path)
    tree = build_call_tree(profile)
    values = sum_values(tree, profile.samples.values[1], "nanoseconds")
    layouts = [lay_out(tree, values, order) for order in Order]
    widths = [(each.right - each.left)[each.box_of_node].tolist() for each in layouts]
    assert widths[0] == widths[1] == widths[2]
