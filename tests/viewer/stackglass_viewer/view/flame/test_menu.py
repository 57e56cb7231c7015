"""What the menu of a box copies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication, QWidget

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sources import ProfileSource
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement
from stackglass_viewer.view.flame.menu import FlameMenu


def make_scene(folder: Path) -> FlameScene:
    profile = read_stacks("main;work 30", folder)
    request = BuildRequest(TypeId(1), "cost", choose_palette("module", False), Arrangement())
    scene = ProfileSource(profile, "p").build(request).scene
    assert scene is not None
    lines = [12 if name == "work" else 0 for name in scene.tree.frame_name]
    return replace(scene, frame_line=np.array(lines, dtype=np.int64))


def copy_all(scene: FlameScene, node: int, stack: str | None = None) -> list[str]:
    """What each of the entries copies."""
    window = QWidget()
    menu = FlameMenu(node, window, scene, stack=stack)
    copied: list[str] = []
    menu.copy_requested.connect(copied.append)
    for action in menu.actions():
        if action.text().startswith("Copy"):
            action.trigger()  # nothing, if it is disabled
    window.deleteLater()
    return copied


def test_name_stack_and_place_are_copied(qt: QApplication, tmp_path: Path) -> None:
    scene = make_scene(tmp_path)
    assert copy_all(scene, 2) == ["work", "work (work.py)\nmain (main.py)", "work.py:12"]
    assert copy_all(scene, 1, "as in the sandwich") == ["main", "as in the sandwich", "main.py"]
    assert copy_all(scene, 0)[-1] == "all", "the root has no file"
