"""The growing call tree: which of the engine's stacks are one node, and what stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.proto.wire_pb2 import Batch

STRINGS = ("", "f", "g", "a.py", "b.py")


def define(
    tree: LiveTree,
    *,
    strings: tuple[str, ...] = (),
    functions: tuple[tuple[int, int, int, int], ...] = (),
    locations: tuple[tuple[int, int], ...] = (),
    nodes: tuple[tuple[int, int], ...] = (),
) -> None:
    """Rows of (name, system name, file, line), (function, line) and (parent, location)."""
    batch = Batch(strings=strings)
    for names, rows in (
        (("name", "system_name", "filename", "start_line"), functions),
        (("function", "line"), locations),
        (("parent", "location"), nodes),
    ):
        of = {4: "function", 2: "location" if names[0] == "function" else "node"}[len(names)]
        for name, column in zip(names, zip(*rows, strict=True), strict=False):
            getattr(batch, f"{of}_{name}").extend(column)
    tree.define(batch)


@pytest.fixture
def tree() -> LiveTree:
    """f (lines 3 and 4) and g; the engine's nodes: 1 f:3, 2 f:4, 3 f:3 g, 4 f:4 g, 5 f:3 f:4."""
    made = LiveTree()
    define(
        made,
        strings=STRINGS,
        functions=((1, 1, 3, 2), (2, 2, 4, 8)),
        locations=((0, 3), (0, 4), (1, 9)),
        nodes=((0, 0), (0, 0), (0, 1), (1, 2), (2, 2), (1, 1)),
    )
    return made


def list_paths(view: CallTree) -> list[str]:
    paths = [""]
    for node in range(1, view.n_nodes):
        paths.append(f"{paths[view.parent[node]]}/{view.frame_name[view.frame[node]]}")
    return paths


def test_a_tree_begins_with_its_root() -> None:
    tree = LiveTree()
    view = tree.view()
    assert tree.n_nodes == 1
    assert (view.parent.tolist(), view.frame.tolist(), view.depth.tolist()) == ([-1], [-1], [0])


def test_lines_of_one_function_are_one_node(tree: LiveTree) -> None:
    view = tree.view()
    assert list_paths(view) == ["", "/f", "/f/g", "/f/f"]
    assert tree.node_of_wire().tolist() == [0, 1, 1, 2, 2, 3]
    assert view.depth.tolist() == [0, 1, 2, 2]
    assert view.is_recursive.tolist() == [False, False, False, True]


def test_a_frame_has_the_file_and_line_of_its_definition(tree: LiveTree) -> None:
    view = tree.view()
    assert (view.frame_name, view.frame_file) == (("f", "g"), ("a.py", "b.py"))
    assert view.frame_line is not None
    assert view.frame_line.tolist() == [2, 8]


def test_functions_of_one_name_are_one_frame(tree: LiveTree) -> None:
    define(tree, functions=((1, 1, 4, 20),), locations=((2, 21),), nodes=((0, 3),))
    assert tree.node_of_wire().tolist()[-1] == 1
    assert tree.view().frame_file == ("a.py", "b.py")  # the first one's


def test_what_was_added_by_hand_is_found_again(tree: LiveTree) -> None:
    lost = tree.add_frame("<lost>", "x", 7)
    assert tree.add_frame("<lost>") == lost
    node = tree.add_child(0, lost)
    assert tree.add_child(0, lost) == node
    assert tree.add_child(node, lost) != node
    assert list_paths(tree.view())[-2:] == ["/<lost>", "/<lost>/<lost>"]


def test_a_view_stays_as_it_was_when_the_tree_grows(tree: LiveTree) -> None:
    view, nodes = tree.view(), tree.node_of_wire()
    n_more = 5000  # more than there were slots and rows for
    define(tree, nodes=tuple((5 + i, i % 3) for i in range(n_more)))
    assert list_paths(view) == ["", "/f", "/f/g", "/f/f"]
    assert len(nodes) == 6
    grown = tree.view()
    assert list_paths(grown)[:4] == list_paths(view)
    assert grown.depth.max() == 2 + n_more
    assert len(set(list_paths(grown)[: n_more // 10])) == n_more // 10, "each path is one node"
    with pytest.raises(ValueError, match="read-only"):
        grown.parent[0] = 0


def test_names_are_the_same_tuple_until_there_are_more(tree: LiveTree) -> None:
    first = tree.view().frame_name
    assert tree.view().frame_name is first
    tree.add_frame("h")
    assert tree.view().frame_name == ("f", "g", "h")


def test_lines_are_those_of_the_engine(tree: LiveTree) -> None:
    lines = tree.view_lines()
    assert lines.wire_parent.tolist() == [0, 0, 0, 1, 2, 1]
    assert lines.wire_location.tolist() == [0, 0, 1, 2, 2, 1]
    assert lines.location_line.tolist() == [3, 4, 9]
    assert lines.location_frame.tolist() == [0, 0, 1]
    define(tree, functions=((1, 1, 4, 20),), locations=((2, 21),))
    assert tree.view_lines().location_frame.tolist() == [0, 0, 1, 0], "frames, not functions"


def test_definitions_are_handed_out_as_they_came(tree: LiveTree) -> None:
    tables = tree.list_definitions()
    assert tables.strings == STRINGS
    assert tables.function_filename.tolist() == [3, 4]
    assert tables.location_function.tolist() == [0, 0, 1]
    assert tables.node_parent.tolist() == [0, 0, 0, 1, 2, 1]
    define(tree, strings=("more",))
    assert tables.strings == STRINGS


def test_the_row_of_the_empty_stack_means_nothing() -> None:
    tree = LiveTree()
    define(tree, strings=("",), nodes=((77, 88),))
    assert tree.list_definitions().node_parent.tolist() == [0]
    assert tree.node_of_wire().tolist() == [0]


@pytest.mark.parametrize(
    ("batch", "what"),
    [
        (Batch(function_name=[5], function_system_name=[0], function_filename=[0]), "string 5"),
        (Batch(function_name=[0], function_system_name=[5], function_filename=[0]), "string 5"),
        (Batch(function_name=[0], function_system_name=[0], function_filename=[5]), "string 5"),
        (Batch(location_function=[2], location_line=[0]), "function 2"),
        (Batch(node_parent=[6], node_location=[0]), "comes after it"),
        (Batch(node_parent=[0, 7], node_location=[0, 0]), "comes after it"),
        (Batch(node_parent=[0], node_location=[3]), "undefined location"),
    ],
    ids=["name", "system name", "file", "function", "itself", "later", "location"],
)
def test_what_refers_to_nothing_is_refused(tree: LiveTree, batch: Batch, what: str) -> None:
    batch.function_start_line.extend([0] * len(batch.function_name))
    with pytest.raises(WireError, match=what):
        tree.define(batch)
    assert tree.n_nodes == 4
    assert len(tree.node_of_wire()) == 6


def test_columns_of_unequal_length_are_refused(tree: LiveTree) -> None:
    for batch in (
        Batch(function_name=[0], function_system_name=[0], function_filename=[0]),
        Batch(location_function=[0], location_line=[1, 2]),
        Batch(node_parent=[0], node_location=[0, 1]),
    ):
        with pytest.raises(WireError):
            tree.define(batch)


def test_the_first_string_is_empty() -> None:
    with pytest.raises(WireError, match="string 0"):
        LiveTree().define(Batch(strings=["f"]))


def test_many_children_of_one_node_are_all_found_again() -> None:
    tree = LiveTree()
    frames = [tree.add_frame(f"f{i}") for i in range(3000)]
    nodes = [tree.add_child(0, frame) for frame in frames]
    assert sorted(nodes) == list(range(1, 3001))
    assert [tree.add_child(0, frame) for frame in frames] == nodes
    assert np.array_equal(tree.view().frame[1:], frames)
