"""A zoom that is kept, and found again in another graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.kept_zoom import find_zoom, read_zoom
from stackglass_viewer.presenter.document.navigation import View

STACKS = "main;load;parse 30\nmain;load;check 20\nmain;save 40\nidle 10"


def make_scene(text: str, folder: Path) -> FlameScene:
    tree, values = grow_tree(text, folder)
    colours = np.zeros(len(tree.frame_name), dtype=np.uint32)
    return FlameScene(tree, values, lay_out(tree, values), colours, 0)


@pytest.fixture
def scene(tmp_path: Path) -> FlameScene:
    """By cost: main (load (parse, check), save), idle."""
    return make_scene(STACKS, tmp_path)


def test_the_whole_graph_is_no_zoom(scene: FlameScene) -> None:
    assert read_zoom(scene, View()) is None


@pytest.mark.parametrize(
    "view", [View(0.0, 0.5), View(0.3, 0.5, 18.0), View(0.1, 0.2), View(0.0, 1.0, 36.0)]
)
def test_the_same_graph_is_shown_as_it_was(scene: FlameScene, view: View) -> None:
    record = read_zoom(scene, view)
    assert record is not None
    found = find_zoom(scene, record)
    assert found is not None
    assert (found.left, found.right) == pytest.approx((view.left, view.right))
    assert found.top_px == view.top_px


def test_the_box_is_found_where_it_is_now(scene: FlameScene, tmp_path: Path) -> None:
    record = read_zoom(scene, View(0.0, 0.5))  # load
    assert record is not None
    assert [name for name, _ in record.path] == ["main", "load"]
    other = make_scene("main;save 120\nmain;load;parse 40\nidle 40", tmp_path)
    found = find_zoom(other, record)
    assert found is not None
    assert (found.left, found.right) == pytest.approx((0.6, 0.8))


def test_a_box_that_is_not_there_is_no_zoom(scene: FlameScene, tmp_path: Path) -> None:
    record = read_zoom(scene, View(0.0, 0.5))
    assert record is not None
    for text in ("main;save 120\nidle 40", "load 10\nmain 5", "other;main;load 5"):
        assert find_zoom(make_scene(text, tmp_path), record) is None
