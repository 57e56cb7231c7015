"""The chosen function: kept through refreshes, built while it is shown, with a way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sandwich import (
    SandwichChoice,
    SandwichScene,
    details_in,
    make_sandwich,
    stack_in,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.worker import Worker

WaitUntil = Callable[[Callable[[], bool]], None]
PALETTE = choose_palette("module", is_dark=False)
STACKS = "main;f;g 3\nmain;h;f 5\nmain 2"
MAIN, F, G, H = "main", "f", "g", "h"


@pytest.fixture
def scene(tmp_path: Path) -> FlameScene:
    tree, values = grow_tree(STACKS, tmp_path)
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    return FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root)


def cut(scene: FlameScene, name: str) -> SandwichScene:
    return make_sandwich(scene, scene.tree.frame_name.index(name), "cost", PALETTE)


@pytest.fixture
def choice(qt: QApplication) -> Iterator[SandwichChoice]:
    worker = Worker("test")
    yield SandwichChoice(worker)
    worker.stop()


def test_shares_are_of_the_whole_and_of_what_is_next_to_it(scene: FlameScene) -> None:
    shown = cut(scene, F)
    assert (shown.details.own, shown.details.total, shown.details.share) == (5, 8, 0.8)
    caller = details_in(shown, 1, is_caller=True)
    assert (caller.name, caller.own, caller.total) == (MAIN, 0, 3)
    assert (caller.share, caller.parent_share, caller.relation) == (0.3, 3 / 8, "Of callee")
    callee = details_in(shown, 1, is_caller=False)
    assert (callee.name, callee.own, callee.total, callee.relation) == (G, 3, 3, "Of caller")
    assert details_in(shown, 0, is_caller=False) is shown.details


def test_colours_of_the_whole_graphs_boxes_are_not_those_of_the_halves(scene: FlameScene) -> None:
    """Boxes of the halves have other numbers, and there are fewer of them."""
    coloured = replace(scene, box_colours=np.zeros(scene.tree.n_nodes, dtype=np.uint32))
    shown = cut(coloured, scene.tree.frame_name[0])
    assert [half.own_colours for half in (shown.callers, shown.callees)] == [None, None]


def test_a_stack_as_text_has_the_innermost_frame_first(scene: FlameScene) -> None:
    shown = cut(scene, H)
    assert stack_in(shown, 1, is_caller=False) == "f (f.py)\nh (h.py)"
    assert stack_in(shown, 1, is_caller=True) == "h (h.py)\nmain (main.py)"


def test_nothing_is_built_while_it_is_hidden(
    scene: FlameScene, choice: SandwichChoice, wait_until: WaitUntil
) -> None:
    choice.set_subject(scene, "cost", PALETTE)
    choice.choose(0)
    assert choice.shown is None
    choice.watch(True)
    wait_until(lambda: choice.shown is not None)
    choice.watch(False)
    assert choice.shown is None
    assert choice.function == 0


def test_a_refresh_keeps_the_function(
    scene: FlameScene, choice: SandwichChoice, tmp_path: Path, wait_until: WaitUntil
) -> None:
    function = scene.tree.frame_name.index(F)
    choice.watch(True)
    choice.set_subject(scene, "cost", PALETTE)
    choice.choose(function)
    wait_until(lambda: choice.shown is not None)
    tree, values = grow_tree(STACKS + "\nmain;f;new 7", tmp_path)
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    choice.set_subject(
        FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root), "cost", PALETTE
    )
    wait_until(lambda: choice.shown is not None and choice.shown.details.total == 15)
    assert choice.function == function
    choice.set_subject(None, "cost", PALETTE)
    assert choice.shown is None
