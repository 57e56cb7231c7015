"""The search of a tab: what it says, and when it has nothing to say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.search import Search
from stackglass_viewer.presenter.document.sources import build_scene
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.settings.view_state import SearchResult
from stackglass_viewer.presenter.tables.top_model import Arrangement
from stackglass_viewer.presenter.worker import Worker

PALETTE = choose_palette("module", is_dark=False)


class Heard:
    """A search, and what it has said."""

    def __init__(self, worker: Worker) -> None:
        self.search = Search(worker)
        self.results: list[SearchResult | None] = []
        self.n_matches_changed = 0
        self.search.result_changed.connect(self.results.append)
        self.search.matches_changed.connect(self._count)

    def _count(self) -> None:
        self.n_matches_changed += 1


@pytest.fixture
def heard(qt: QApplication) -> Iterator[Heard]:
    worker = Worker("test")
    yield Heard(worker)
    worker.stop()


def make_scene(text: str, folder: Path) -> FlameScene:
    profile = read_stacks(text, folder)
    tree = build_call_tree(profile)
    values = sum_type(tree, profile, TypeId(1))
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    request = BuildRequest(TypeId(1), "cost", PALETTE, Arrangement())
    return build_scene(tree, values, colours, request, False)


@pytest.fixture
def scene(tmp_path: Path) -> FlameScene:
    return make_scene("main;work 30\nmain;save 20", tmp_path)


def test_graphs_that_nobody_searches_change_nothing(heard: Heard, scene: FlameScene) -> None:
    for _ in range(3):
        heard.search.set_subject(scene)
    assert not heard.results
    assert not heard.n_matches_changed


def test_matches_of_another_order_of_functions_are_not_shown(
    heard: Heard, scene: FlameScene, tmp_path: Path, wait_until: Any
) -> None:
    """A server listed its functions in another order: the matches are numbers in the old one."""
    heard.search.set_subject(scene)
    heard.search.set_pattern("work")
    wait_until(lambda: heard.search.matches is not None)
    heard.search.set_subject(make_scene("main;work 30\nmain;save 20\nidle 5", tmp_path))
    assert heard.search.matches is not None  # the same functions: nothing flickers
    wait_until(lambda: len(heard.results) == 2)
    heard.search.set_subject(make_scene("other;save 30\nother;work 20", tmp_path))
    assert heard.search.matches is None
    wait_until(lambda: heard.search.matches is not None)


def test_a_search_is_said_in_each_graph_and_its_end_once(
    heard: Heard, scene: FlameScene, wait_until: Any
) -> None:
    heard.search.set_subject(scene)
    heard.search.set_pattern("work")
    wait_until(lambda: len(heard.results) == 1)
    heard.search.set_subject(scene)
    wait_until(lambda: len(heard.results) == 2)
    assert [found and found.n_functions for found in heard.results] == [1, 1]
    heard.search.set_pattern("")
    heard.search.set_subject(scene)
    assert heard.results[2:] == [None]
    assert heard.n_matches_changed == 3


def test_a_pattern_that_is_none_is_said_until_it_is_gone(
    heard: Heard, scene: FlameScene, wait_until: Any
) -> None:
    heard.search.set_subject(scene)
    heard.search.set_pattern("(")
    wait_until(lambda: bool(heard.results))
    assert heard.results[0] is not None
    assert heard.results[0].error == "invalid pattern"
    heard.search.set_pattern("")
    assert heard.results[1:] == [None]


def test_functions_with_changes_that_cancel_out_are_counted(
    heard: Heard, tmp_path: Path, wait_until: Any
) -> None:
    heard.search.set_subject(make_scene("main;work;parse 10\nmain;work;load -10", tmp_path))
    heard.search.set_pattern("work")
    wait_until(lambda: len(heard.results) == 1)
    found = heard.results[0]
    assert found is not None
    assert found.n_functions == 1


def test_functions_that_a_table_does_not_list_are_not_counted(
    heard: Heard, wait_until: Any
) -> None:
    """A profile of calls has functions whose time is too short to be measured."""
    values = np.array([0, 5, 7], dtype=np.int64)
    names, files = ("work0", "work1", "work2"), ("", "", "")
    reached: list[int] = []
    heard.search.function_reached.connect(reached.append)
    heard.search.set_subject(TopTable(names, files, values, values, None, 12, "nanoseconds"))
    heard.search.set_pattern("work")
    wait_until(lambda: len(heard.results) == 1)
    found = heard.results[0]
    assert found is not None
    assert found.n_functions == 2
    for n_steps in range(1, 4):
        heard.search.step(1)
        wait_until(lambda n_steps=n_steps: len(reached) == n_steps)
    assert reached == [2, 1, 2]
