"""What stands where in a flame graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.call_tree import add_up
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import (
    Direction,
    FlameScene,
    anchor_of,
    details_of,
    extent_of,
    find_again,
    find_in,
    find_widest,
    name_of,
    neighbour,
    node_at,
    path_of,
    rank_matches,
    stack_text,
)

STACKS = """
main;load;parse 30
main;load;check 20
main;save 40
idle 10
"""


def make_scene(text: str, folder: Path) -> FlameScene:
    tree, values = grow_tree(text, folder)
    colours = np.zeros(len(tree.frame_name), dtype=np.uint32)
    return FlameScene(tree, values, lay_out(tree, values), colours, 0)


@pytest.fixture
def scene(tmp_path: Path) -> FlameScene:
    return make_scene(STACKS, tmp_path)


def find(scene: FlameScene, *path: str) -> int:
    for node in range(scene.tree.n_nodes):
        if tuple(name for name, _ in path_of(scene.tree, node)) == path:
            return node
    raise AssertionError(path)


def test_the_root_is_no_share_of_a_caller(scene: FlameScene) -> None:
    assert details_of(scene, 0).relation == ""
    assert details_of(scene, find(scene, "main")).relation == "Of caller"


def test_the_root_of_an_inverted_graph_says_so(scene: FlameScene) -> None:
    assert name_of(replace(scene, is_inverted=True), 0) == "all, callees first"
    assert name_of(scene, 0) == "all"


def test_a_place_leads_to_its_node(scene: FlameScene) -> None:
    assert name_of(scene, node_at(scene, 0, 0.99)) == "all"
    assert name_of(scene, node_at(scene, 1, 0.5)) == "main"
    assert name_of(scene, node_at(scene, 2, 0.1)) == "load"
    assert name_of(scene, node_at(scene, 1, 0.95)) == "idle"
    assert node_at(scene, 2, 0.95) == -1
    assert node_at(scene, 9, 0.5) == -1


def test_details_give_shares_of_all_and_of_the_caller(scene: FlameScene) -> None:
    details = details_of(scene, find(scene, "main", "load", "parse"))
    assert (details.own, details.total) == (30, 30)
    assert details.share == pytest.approx(0.30)
    assert details.parent_share == pytest.approx(0.60)
    assert details.place == "parse.py"


def test_arrows_lead_to_caller_callee_and_neighbours(scene: FlameScene) -> None:
    load = find(scene, "main", "load")
    assert neighbour(scene, load, Direction.CALLER) == find(scene, "main")
    assert neighbour(scene, load, Direction.CALLEE) == find(scene, "main", "load", "parse")
    assert neighbour(scene, load, Direction.AFTER) == find(scene, "main", "save")
    assert neighbour(scene, load, Direction.BEFORE) == load
    assert neighbour(scene, 0, Direction.CALLER) == 0
    idle = find(scene, "idle")
    assert neighbour(scene, idle, Direction.CALLEE) == idle


def test_the_anchor_is_the_deepest_frame_that_fills_the_view(scene: FlameScene) -> None:
    extent = extent_of(scene, find(scene, "main", "load"))
    assert extent is not None
    assert anchor_of(scene, extent[0], extent[1]) == find(scene, "main", "load")
    assert anchor_of(scene, 0.0, 1.0) == 0


def test_an_only_callee_is_not_what_one_looks_at(tmp_path: Path) -> None:
    """It is as wide as all there is now; the whole must stay in view when others come."""
    scene = make_scene("main;work;step 10", tmp_path)
    assert anchor_of(scene, 0.0, 1.0) == 0
    scene = make_scene("main;work;step 10\nidle 10", tmp_path)
    extent = extent_of(scene, find(scene, "main", "work"))
    assert extent is not None
    assert anchor_of(scene, extent[0], extent[1]) == find(scene, "main")


def test_a_stack_is_found_again_in_another_tree(scene: FlameScene, tmp_path: Path) -> None:
    other = make_scene("idle 1\nmain;save 5\nmain;load;check 2", tmp_path)
    check = find(scene, "main", "load", "check")
    assert find_in(scene.tree, check, other.tree) == find(other, "main", "load", "check")
    parse = find(scene, "main", "load", "parse")
    assert find_in(scene.tree, parse, other.tree) == find(other, "main", "load")


def test_a_stack_as_text_has_the_innermost_frame_first(scene: FlameScene) -> None:
    text = stack_text(scene, find(scene, "main", "load"))
    assert text == "load (load.py)\nmain (main.py)"


def test_matches_are_ranked_by_width_and_recursion_counts_once(tmp_path: Path) -> None:
    scene = make_scene("main;walk;walk;leaf 30\nmain;leaf 50\nidle;walk 60", tmp_path)
    names = list(scene.tree.frame_name)
    is_match = np.isin(names, ["walk", "leaf"])
    paths = [
        tuple(name for name, _ in path_of(scene.tree, int(node)))
        for node in rank_matches(scene, is_match)
    ]
    assert paths == [
        ("idle", "walk"),
        ("main", "leaf"),
        ("main", "walk"),
        ("main", "walk", "walk", "leaf"),
    ]
    assert find_widest(scene, names.index("leaf")) == find(scene, "main", "leaf")
    assert find_widest(scene, len(names)) == -1


def test_differences_are_reported_with_signs_and_of_what_changed(tmp_path: Path) -> None:
    tree, values = grow_tree(STACKS, tmp_path)
    scene = make_scene(STACKS, tmp_path)
    save = find(scene, "main", "save")
    own = values.own.copy()
    own[save] = -own[save]
    changed = add_up(tree, own, "bytes")
    scene = FlameScene(
        tree,
        changed,
        lay_out(tree, changed),
        scene.colours,
        0,
        change_colours=np.zeros(tree.n_nodes, dtype=np.uint32),
        frame_line=np.arange(1, len(tree.frame_name) + 1),
    )
    assert (scene.total, scene.whole) == (20, 100)
    details = details_of(scene, save)
    assert (details.own, details.total, details.is_change) == (-40, -40, True)
    assert details.share == pytest.approx(-0.4)
    assert details.parent_share == pytest.approx(-40 / 90)
    assert details_of(scene, find(scene, "main")).total == 10
    assert find_widest(scene, int(tree.frame[save])) == save
    frame = int(tree.frame[save])
    file = tree.frame_file[frame]
    assert details.place == (f"{file}:{frame + 1}" if file else "")


def test_a_function_is_found_where_functions_have_other_numbers() -> None:
    names, files = ("main", "new", "[libc.so]", "main"), ("a.py", "", "/lib/libc.so", "b.py")
    assert find_again(("main", "a.py"), 0, names, files) == 0
    assert find_again(("[libc.so]", "/lib/libc.so"), 1, names, files) == 2
    assert find_again(("main", "b.py"), 7, names, files) == 3
    assert find_again(("route = /a", ""), 1, names, files) == -1
