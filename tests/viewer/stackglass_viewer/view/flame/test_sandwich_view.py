"""The sandwich as a view: what stays when its data are refreshed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sandwich import SandwichScene, make_sandwich
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.flame.sandwich_view import SandwichView
from stackglass_viewer.view.widgets.theme import load_theme

PALETTE = choose_palette("module", is_dark=False)


def cut(text: str, name: str, folder: Path) -> SandwichScene:
    tree, values = grow_tree(text, folder)
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root)
    return make_sandwich(scene, tree.frame_name.index(name), "cost", PALETTE)


def test_the_zoom_stays_at_a_function_with_another_number(qt: QApplication, tmp_path: Path) -> None:
    view = SandwichView(load_theme("light"))
    view.resize(600, 600)
    first = cut("main;load;parse 60\nmain;load;check 30", "load", tmp_path)
    view.show_sandwich(first)
    camera = view.callees.graph.camera
    camera.zoom_to(1)
    assert view.is_zoomed
    later = cut("idle 5\nmain;load;parse 60\nmain;load;check 30", "load", tmp_path)
    assert later.function != first.function
    view.show_sandwich(later)
    assert view.is_zoomed
    view.show_sandwich(cut("idle 5\nmain;load;parse 60", "main", tmp_path))
    assert not view.is_zoomed
    view.deleteLater()
