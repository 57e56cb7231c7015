"""The axis above a stack chart: of the part of the time that the chart shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene, OverTime
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.lanes.time_axis import CallsAxis
from stackglass_viewer.view.widgets.theme import load_theme


@pytest.fixture
def graph(qt: QApplication) -> Iterator[FlameView]:
    made = FlameView(load_theme("light"))
    yield made
    made.deleteLater()


def test_it_shows_what_the_chart_shows(graph: FlameView, tmp_path: Path) -> None:
    axis = CallsAxis(graph, load_theme("light"), graph)
    assert axis.shown is None
    tree, values = grow_tree("main 100", tmp_path)
    colours = np.zeros(len(tree.frame_name), dtype=np.uint32)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, 0)
    graph.set_scene(scene)
    assert axis.shown is None, "a flame graph has no times"
    graph.set_scene(dataclasses.replace(scene, over_time=OverTime(1000, 3000, "main")))
    assert axis.shown == (1000, 3000)
    graph.camera.restore(View(0.25, 0.5))
    assert axis.shown == (1500, 2000)
