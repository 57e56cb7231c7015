"""What a tab of a file shows, built as the worker builds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.graph.call_tree import build_call_tree
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.sources import (
    BuildRequest,
    FrameColours,
    ProfileSource,
    TableSource,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement, TopColumn

STACKS = "main;load;parse 30\nmain;save 40\nidle 10"
LIGHT, SAFE = choose_palette("module", False), choose_palette("safe", False)


def request(type_index: int = 1, order: str = "cost", pattern: str = "") -> BuildRequest:
    return BuildRequest(type_index, order, LIGHT, Arrangement(pattern=pattern))


@pytest.fixture
def source(tmp_path: Path) -> ProfileSource:
    return ProfileSource(read_stacks(STACKS, tmp_path), "cpu.pb.gz")


def test_graph_table_and_words_are_of_one_sample_type(source: ProfileSource) -> None:
    built = source.build(request())
    assert built.scene is not None
    assert (built.scene.total, built.top.total, built.top.unit) == (80, 80, "nanoseconds")
    assert built.info.title == "cpu.pb.gz"
    assert built.info.description.startswith("Total 80 ns  ·  over 1.00 s")
    assert built.info.choice.entries[built.info.choice.entry] == "cpu"
    counted = source.build(request(type_index=0))
    assert counted.scene is not None
    assert counted.scene.total == 3
    assert counted.info.description.startswith("Total 3")
    assert counted.scene.tree is built.scene.tree, "the tree is built once"


def test_boxes_stand_by_cost_or_by_name(source: ProfileSource) -> None:
    def first_row(order: str) -> list[str]:
        scene = source.build(request(order=order)).scene
        assert scene is not None
        nodes = [node for node in scene.layout.node.tolist() if scene.tree.depth[node] == 1]
        left = scene.layout.left[scene.layout.box_of_node[nodes]]
        return [name_of(scene, nodes[place]) for place in np.argsort(left)]

    assert first_row("cost") == ["main", "idle"]
    assert first_row("name") == ["idle", "main"]


def test_rows_come_in_the_order_and_with_the_filter_asked_for(source: ProfileSource) -> None:
    built = source.build(request(pattern="^(load|save)$"))
    assert [built.top.name[row] for row in built.rows.tolist()] == ["save", "load"]
    assert built.arrangement.pattern == "^(load|save)$"
    by_name = Arrangement(TopColumn.NAME, is_descending=False)
    built = source.build(BuildRequest(1, "cost", LIGHT, by_name))
    names = [built.top.name[row] for row in built.rows.tolist()]
    assert names == ["idle", "load", "main", "parse", "save"]


def test_a_file_without_heap_or_contention_says_so(source: ProfileSource) -> None:
    built = source.build(request())
    assert (built.info.has_heap, built.info.has_contention, built.info.is_live) == (False,) * 3
    assert built.heap is None
    assert built.contention is None


def test_colours_are_worked_out_once_for_each_palette(tmp_path: Path) -> None:
    tree = build_call_tree(read_stacks(STACKS, tmp_path))
    colours = FrameColours()
    first = colours.of(tree, LIGHT)
    assert colours.of(tree, LIGHT) is first
    assert (colours.of(tree, SAFE) != first).any()


def test_functions_without_stacks_have_a_table_and_no_graph() -> None:
    table = FunctionTable(
        name=("f", "g"),
        file=("m.py", "m.py"),
        line=np.array([1, 2], dtype=np.int32),
        n_calls=np.array([3, 4]),
        n_primitive_calls=np.array([3, 4]),
        own_ns=np.array([10, 20]),
        total_ns=np.array([30, 20]),
        edge_caller=np.array([0], dtype=np.int32),
        edge_callee=np.array([1], dtype=np.int32),
        edge_n_calls=np.array([4]),
        edge_n_primitive_calls=np.array([4]),
        edge_own_ns=np.array([20]),
        edge_total_ns=np.array([20]),
    )
    source = TableSource(table, "run.prof")
    built = source.build(request(type_index=source.first_type))
    assert built.scene is None
    assert not built.info.has_stacks
    assert [built.top.name[row] for row in built.rows.tolist()] == ["g", "f"]
    assert built.info.description == "Total 30 ns  ·  7 calls"
