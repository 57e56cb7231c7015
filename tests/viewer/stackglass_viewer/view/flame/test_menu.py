"""What the menu of a box copies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication, QMenu

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import FlameScene, name_of
from stackglass_viewer.presenter.document.sources import ProfileSource
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement
from stackglass_viewer.view.flame.menu import TRANSFORMS, FlameMenu
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.theme import load_theme

OF_ALL = ("recursion", "own_code")  # transforms that need no function


def make_scene(folder: Path, stacks: str = "main;work 30") -> FlameScene:
    profile = read_stacks(stacks, folder)
    request = BuildRequest(TypeId(1), "cost", choose_palette("module", False), Arrangement())
    scene = ProfileSource(profile, "p").build(request).scene
    assert scene is not None
    lines = [12 if name == "work" else 0 for name in scene.tree.frame_name]
    return replace(scene, frame_line=np.array(lines, dtype=np.int64))


def show(scene: FlameScene) -> FlameView:
    graph = FlameView(load_theme("dark"))
    graph.set_scene(scene)
    return graph


def copy_all(scene: FlameScene, node: int, stack: str | None = None) -> list[str]:
    """What each of the entries copies."""
    graph = show(scene)
    menu = FlameMenu(node, graph, stack=stack)
    copied: list[str] = []
    menu.copy_requested.connect(lambda text, _what: copied.append(text))
    for action in menu.actions():
        if action.text().startswith("Copy"):
            action.trigger()  # nothing, if it is disabled
    graph.deleteLater()
    return copied


def test_name_stack_and_place_are_copied(qt: QApplication, tmp_path: Path) -> None:
    scene = make_scene(tmp_path)
    assert copy_all(scene, 2) == ["work", "work (work.py)\nmain (main.py)", "work.py:12"]
    assert copy_all(scene, 1, "as in the sandwich") == ["main", "as in the sandwich", "main.py"]
    assert copy_all(scene, 0)[-1] == "all", "the root has no file"


def run_all(menu: FlameMenu) -> None:
    """Trigger every entry, those of the filters included."""
    filters = menu.findChild(QMenu)
    assert isinstance(filters, QMenu)
    for action in (*menu.actions(), *filters.actions()):
        action.trigger()


def find_node(scene: FlameScene, name: str) -> int:
    return next(node for node in range(scene.tree.n_nodes) if name_of(scene, node) == name)


def test_a_menu_acts_on_its_stack_after_the_graph_was_refreshed(
    qt: QApplication, tmp_path: Path
) -> None:
    """A live graph may number its boxes anew; the entries that need a node find it again."""
    old = make_scene(tmp_path, "main;work 30")
    new = make_scene(tmp_path, "early 5\nmain;first 5\nmain;work 30")
    graph, node = show(old), find_node(old, "work")
    assert name_of(new, node) != "work"
    menu = FlameMenu(node, graph, True)
    asked: list[str] = []
    for signal in (menu.zoom_requested, menu.sandwich_requested, menu.search_requested):
        signal.connect(lambda node: asked.append(name_of(new, node)))
    menu.transform_requested.connect(lambda kind, node: asked.append(f"{kind} {node}"))
    graph.set_scene(new)
    run_all(menu)
    number = find_node(new, "work")
    assert asked[:3] == ["work"] * 3
    assert {f"{kind} {number}" for kind, _ in TRANSFORMS if kind not in OF_ALL} < set(asked)


def test_a_menu_does_nothing_to_a_stack_that_is_gone(qt: QApplication, tmp_path: Path) -> None:
    """Else it would act on the caller."""
    old = make_scene(tmp_path, "main;work 30")
    graph = show(old)
    menu = FlameMenu(find_node(old, "work"), graph, True)
    asked: list[object] = []
    menu.zoom_requested.connect(asked.append)
    menu.transform_requested.connect(lambda *what: asked.append(what))
    graph.set_scene(make_scene(tmp_path, "main;other 30"))
    run_all(menu)
    assert asked == [(kind, 0) for kind in OF_ALL], "those that need no function remain"
