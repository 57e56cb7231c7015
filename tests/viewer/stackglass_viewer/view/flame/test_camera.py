"""Camera of a flame graph: what it shows after each move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget

from harness.profiles import grow_tree
from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.stack_chart import build_stack_chart
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    OverTime,
    extent_of,
    path_of,
)
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.camera import Camera
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry

STACKS = "a;b;c;d;e;f;g 60\na;b;x 39\ny 1"
WIDTH_PX, HEIGHT_PX = 1000, 4 * ROW_PX


def make_scene(text: str, folder: Path) -> FlameScene:
    tree, values = grow_tree(text, folder)
    colours = np.zeros(len(tree.frame_name), dtype=np.uint32)
    return FlameScene(tree, values, lay_out(tree, values), colours, 0)


def find(scene: FlameScene, leaf: str) -> int:
    nodes = range(1, scene.tree.n_nodes)
    return next(node for node in nodes if list(path_of(scene.tree, node))[-1][0] == leaf)


@pytest.fixture
def scene(tmp_path: Path) -> FlameScene:
    return make_scene(STACKS, tmp_path)


@pytest.fixture
def camera(qt: QApplication, scene: FlameScene) -> Iterator[Camera]:
    widget = QWidget()
    widget.resize(WIDTH_PX, HEIGHT_PX)
    made = Camera(widget, RowGeometry())
    made.show_scene(scene)
    yield made
    widget.deleteLater()


def test_a_frame_fills_the_width_below_three_callers(camera: Camera, scene: FlameScene) -> None:
    node = find(scene, "f")
    extent = extent_of(scene, node)
    assert extent is not None
    camera.zoom_to(node)
    left, right, row = extent
    assert (camera.shown.left, camera.shown.right) == pytest.approx((left, right))
    assert camera.shown.top_px == (row - 3) * ROW_PX
    assert camera.is_zoomed
    steps: list[View] = []
    camera.stepped.connect(steps.append)
    zoomed = camera.navigation.view
    camera.reset_zoom()
    assert not camera.is_zoomed
    camera.reset_zoom()  # there it is: no step
    assert steps == [zoomed]
    camera.restore(zoomed)
    assert camera.navigation.view == zoomed
    camera.zoom_by(2.0)
    assert steps == [zoomed]


def test_a_frame_is_revealed_without_more_zoom_than_it_needs(
    camera: Camera, scene: FlameScene
) -> None:
    camera.reveal(find(scene, "g"))  # wide, but below the window: it is scrolled to
    assert (camera.shown.left, camera.shown.right) == (0.0, 1.0)
    extent = extent_of(scene, find(scene, "g"))
    assert extent is not None
    assert camera.shown.top_px == (extent[2] + 1) * ROW_PX - HEIGHT_PX
    camera.zoom_to(find(scene, "x"))
    camera.reveal(find(scene, "y"))  # out of sight
    extent = extent_of(scene, find(scene, "y"))
    assert extent is not None
    assert camera.shown.left <= extent[0]
    assert extent[1] <= camera.shown.right
    assert camera.shown.span == pytest.approx(0.01 * WIDTH_PX / 120)  # the box is 120 pixels wide


def test_the_place_under_the_pointer_stays_where_it_is(camera: Camera) -> None:
    before = camera.fraction_at(250)
    camera.zoom_at(250, 4)
    assert camera.fraction_at(250) == pytest.approx(before)
    assert camera.shown.span == pytest.approx(0.25)
    camera.pan(WIDTH_PX / 10, 0)
    assert camera.fraction_at(250) == pytest.approx(before + 0.025)


def test_scrolling_ends_with_the_graph(camera: Camera) -> None:
    camera.scroll_to(10_000)
    assert camera.shown.top_px == camera.content_px() - HEIGHT_PX
    camera.scroll_to(-5)
    assert camera.shown.top_px == 0


def test_the_same_stack_is_looked_at_in_a_refreshed_graph(
    camera: Camera, scene: FlameScene, tmp_path: Path
) -> None:
    camera.zoom_to(find(scene, "x"))
    refreshed = make_scene("a;b;c;d;e;f;g 60\na;b;x 20\ny 1", tmp_path)
    camera.show_scene(refreshed)
    extent = extent_of(refreshed, find(refreshed, "x"))
    assert extent is not None
    assert (camera.shown.left, camera.shown.right) == pytest.approx(extent[:2])
    camera.show_scene(scene, is_refresh=False)
    assert not camera.is_zoomed


def show_calls(text: str, end_ms: int, name: str = "T") -> FlameScene:
    """From the begin to a moment."""
    stretches = make_stretches(text)
    chart = build_stack_chart(stretches, 0, 0, end_ms * MS)
    colours = np.zeros(len(stretches.tree.frame_name), dtype=np.uint32)
    about = OverTime(0, end_ms * MS, name)
    return FlameScene(chart.calls, chart.values, chart.layout, colours, 0, over_time=about)


def test_as_time_goes_on_one_looks_at_the_same_part_of_it(camera: Camera) -> None:
    text = "T f 0 50\nT g 50 100\nT f 100 200"
    camera.show_scene(show_calls(text, 100))
    assert camera.navigation.view == View()
    camera.show_scene(show_calls(text, 200))
    assert camera.navigation.view == View(), "all of it stays all of it"
    camera.restore(View(0.25, 0.5))
    camera.show_scene(show_calls(text, 400))
    assert (camera.shown.left, camera.shown.right) == (0.125, 0.25)


@pytest.mark.parametrize("other", ["the calls of another thread", "a flame graph"])
def test_of_other_calls_all_is_shown(camera: Camera, scene: FlameScene, other: str) -> None:
    before = scene if other == "a flame graph" else show_calls("U f 0 50", 100, "U")
    camera.show_scene(before)
    camera.restore(View(0.25, 0.5))
    camera.show_scene(show_calls("T f 0 50", 100))
    assert camera.navigation.view == View()
