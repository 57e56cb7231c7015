"""Which function of a call graph keeps its place when the graph is laid out anew."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.graph_scene import (
    CallGraphScene,
    GraphBox,
    GraphSubject,
    draw_graph,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.graph.following import find_move

PALETTE = choose_palette("module", is_dark=False)


def draw(text: str, folder: Path) -> CallGraphScene:
    tree, values = grow_tree(text, folder)
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root)
    subject = GraphSubject(build_top(tree, values), scene, None, PALETTE, 1)
    return draw_graph(subject, GraphLimits(), None, is_held=False).scene


def find(scene: CallGraphScene, name: str) -> GraphBox:
    return next(box for box in scene.boxes if box.title == name)


def test_a_function_is_followed_by_its_name(tmp_path: Path) -> None:
    old = draw("main;load 60\nmain;save 30", tmp_path)
    new = draw("main;save 30\nmain;start;more;load 60", tmp_path)
    before, after = find(old, "load"), find(new, "load")
    assert before.frame != after.frame
    moved = QPointF(after.center[0] - before.center[0], after.center[1] - before.center[1])
    middle = QPointF(*find(old, "save").center)
    assert find_move(old, new, (before.frame, -1), middle) == moved
    assert find_move(old, new, (-1, after.frame), middle) == moved
    assert find_move(old, draw("other 1", tmp_path), (-1, -1), middle) is None
