"""Scene of a call graph: what stands in its boxes, what stays where it is, where keys lead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.presenter.document.flame_scene import Direction, FlameScene
from stackglass_viewer.presenter.document.graph_scene import (
    CallGraphScene,
    Drawn,
    GraphSubject,
    details_of_box,
    details_of_edge,
    details_of_whole,
    draw_graph,
    split_name,
)
from stackglass_viewer.presenter.document.graph_walk import box_at, edge_at, neighbour_box
from stackglass_viewer.presenter.document.placed_graph import PlacedGraph
from stackglass_viewer.presenter.settings.palettes import choose_palette

PALETTE = choose_palette("module", is_dark=False)
STACKS = "main;serve;render 600\nmain;serve;log 300\nmain;save;log 50\nmain;serve;serve 50"


def draw(
    text: str, folder: Path, placed: PlacedGraph | None = None, is_held: bool = False
) -> Drawn:
    tree, values = grow_tree(text, folder)
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root)
    subject = GraphSubject(build_top(tree, values), scene, None, PALETTE, 1)
    return draw_graph(subject, GraphLimits(), placed, is_held)


def find(scene: CallGraphScene, name: str) -> int:
    return next(at for at, box in enumerate(scene.boxes) if box.title == name)


@pytest.fixture
def scene(tmp_path: Path) -> CallGraphScene:
    return draw(STACKS, tmp_path).scene


@pytest.mark.parametrize(
    ("name", "title", "module"),
    [
        ("http.client.HTTPConnection.request", "HTTPConnection.request", "http.client"),
        ("app.make.<locals>.inner", "make.<locals>.inner", "app"),
        ("app.handlers.work", "work", "app.handlers"),
        ("main", "main", ""),
        ("github.com/me/app/db.(*Conn).Query", "db.(*Conn).Query", "github.com/me/app"),
        ("std::vector<int>::push_back", "std::vector<int>::push_back", ""),
        ("libsqlite3: sqlite3VdbeExec", "libsqlite3: sqlite3VdbeExec", ""),
        ("<built-in method builtins.len>", "<built-in method builtins.len>", ""),
        ("<lost samples>", "<lost samples>", ""),
        ("x." + "y" * 50, "…" + "y" * 33, "x"),
        ("[libc.so.6]", "[libc.so.6]", ""),
    ],
)
def test_a_name_has_its_end_in_large_letters(name: str, title: str, module: str) -> None:
    assert split_name(name) == (title, module)


def test_boxes_say_what_pprof_says(scene: CallGraphScene) -> None:
    figures = {box.title: box.figures for box in scene.boxes}
    assert figures["main"] == ("0 of 1.00 µs · 100%",)
    assert figures["render"] == ("600 ns · 60.0%",)
    assert figures["serve"] == ("50 ns · 5.0%", "of 950 ns · 95.0%")
    scales = {box.title: box.scale for box in scene.boxes}
    assert scales["main"] == 1.0 < scales["log"] < scales["render"]
    for box in scene.boxes:
        assert -0.01 <= box.left <= scene.width - box.width + 0.01
        assert -0.01 <= box.top <= scene.height - box.height + 0.01


def test_details_are_the_tables(scene: CallGraphScene) -> None:
    details = details_of_box(scene, find(scene, "serve"))
    assert (details.name, details.place, details.own, details.total) == (
        "serve",
        "serve.py",
        50,
        950,
    )
    assert (details.share, details.relation) == (0.95, "")
    at = next(at for at, edge in enumerate(scene.edges) if edge.weight == 300)
    calls = details_of_edge(scene, at)
    assert (calls.name, calls.total, calls.share) == ("serve → log", 300, 0.3)
    assert calls.parent_share == pytest.approx(300 / 950)


def test_arrows_lead_along_the_calls(scene: CallGraphScene) -> None:
    def go(name: str, direction: Direction) -> str:
        return scene.boxes[neighbour_box(scene, find(scene, name), direction)].title

    assert go("main", Direction.CALLEE) == "serve"
    assert go("serve", Direction.CALLEE) == "render"  # not itself
    assert go("log", Direction.CALLER) == "serve"
    assert go("main", Direction.CALLER) == "main"
    beside = {go("render", Direction.BEFORE), go("render", Direction.AFTER)}
    assert beside == {"render", "log"}
    assert neighbour_box(scene, -1, Direction.CALLEE) == 0


def test_what_is_at_a_place(scene: CallGraphScene) -> None:
    box = scene.boxes[find(scene, "log")]
    assert box_at(scene, box.center) == find(scene, "log")
    assert box_at(scene, (-5.0, -5.0)) == -1
    for at, edge in enumerate(scene.edges):
        (x0, y0), (x1, y1) = edge.path.points[:2]
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        assert edge_at(scene, middle, 1.0) == at
    assert edge_at(scene, (-50.0, -50.0), 5.0) == -1


def test_what_only_changes_its_values_stays_where_it_is(tmp_path: Path) -> None:
    first = draw(STACKS, tmp_path)
    second = draw(STACKS.replace("600", "700"), tmp_path, first.placed)
    assert second.placed is first.placed
    before, after = (
        {box.title: (box.left, box.top) for box in drawn.scene.boxes} for drawn in (first, second)
    )
    assert before == after
    assert second.scene.boxes[find(second.scene, "render")].total == 700


def test_what_is_new_waits_while_nothing_may_move(tmp_path: Path) -> None:
    first = draw(STACKS, tmp_path)
    more = f"{STACKS}\nmain;fresh 400"
    held = draw(more, tmp_path, first.placed, is_held=True)
    assert held.placed is first.placed
    assert (len(held.scene.boxes), held.scene.n_waiting) == (len(first.scene.boxes), 1)
    later = draw(more, tmp_path, held.placed)
    assert later.scene.n_waiting == 0
    assert find(later.scene, "fresh") >= 0


def test_what_is_gone_is_not_drawn(tmp_path: Path) -> None:
    first = draw(STACKS, tmp_path)
    less = draw("main;serve;render 600", tmp_path, first.placed, is_held=True).scene
    assert {box.title for box in less.boxes} == {"main", "serve", "render"}
    assert all(max(edge.caller, edge.callee) < 3 for edge in less.edges)


def test_nothing_has_no_boxes(tmp_path: Path) -> None:
    assert draw("main;f 0", tmp_path).scene.boxes == ()


def test_the_whole_of_differences_is_what_changed(scene: CallGraphScene) -> None:
    whole = details_of_whole(scene)
    assert (whole.total, whole.share, whole.is_change) == (1000, 1.0, False)
    flat = scene.top.flat.copy()
    flat[:] = 0
    flat[:2] = (30, -80)
    changed = replace(scene, top=replace(scene.top, flat=flat, is_change=True, total=500))
    whole = details_of_whole(changed)
    assert (whole.total, whole.share, whole.is_change) == (-50, -0.1, True)


def test_calls_in_a_difference_have_no_share_of_their_caller(tmp_path: Path) -> None:
    """The caller's changes cancel out: the calls had 9900% of it."""
    scene = draw("main;grew 100\nmain;shrank -99", tmp_path).scene
    scene = replace(scene, top=replace(scene.top, is_change=True))
    assert {details_of_edge(scene, at).relation for at in range(2)} == {""}


def test_functions_stay_in_place_where_they_have_other_numbers(tmp_path: Path) -> None:
    """A server's next profile lists its functions in another order."""
    name = "a_function_with_a_long_name"
    first = draw(f"main;{name} 600\nmain;save 300", tmp_path)
    later = draw(f"main;save 300\nmain;{name} 590", tmp_path, first.placed, is_held=True)
    for title in ("main", "save", name):
        before, after = (scene.boxes[find(scene, title)] for scene in (first.scene, later.scene))
        assert (after.center, after.width) == (before.center, before.width)
    weights = {title: later.scene.boxes[find(later.scene, title)].total for title in ("save", name)}
    assert weights == {"save": 300, name: 590}
    assert len(later.scene.edges) == 2
