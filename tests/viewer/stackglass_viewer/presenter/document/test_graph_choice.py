"""Choice of a call graph: drawn while it is looked at, and only as it is wanted now."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.presenter.document import graph_choice, graph_scene
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.graph_choice import GraphChoice
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene, Drawn, GraphSubject
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement

WaitUntil = Callable[[Callable[[], bool]], None]
PALETTE = choose_palette("module", is_dark=False)
REQUEST = BuildRequest(TypeId(1), "cost", PALETTE, Arrangement())


def make_subject(text: str, folder: Path) -> GraphSubject:
    tree, values = grow_tree(text, folder)
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root)
    return GraphSubject(build_top(tree, values), scene, None, PALETTE, 1)


class Shown:
    """A choice, and what it has shown."""

    def __init__(self) -> None:
        self.choice = GraphChoice()
        self.scenes: list[CallGraphScene | None] = []
        self.failures: list[str] = []
        self.choice.changed.connect(self.scenes.append)
        self.choice.failed.connect(self.failures.append)

    @property
    def titles(self) -> set[str]:
        last = self.scenes[-1] if self.scenes else None
        return {box.title for box in last.boxes} if last is not None else set()


@pytest.fixture
def shown(qt: QApplication) -> Iterator[Shown]:
    made = Shown()
    yield made
    made.choice.leave()
    made.choice.wait()


def test_nothing_is_drawn_until_it_is_looked_at(
    shown: Shown, tmp_path: Path, wait_until: WaitUntil
) -> None:
    shown.choice.set_subject(make_subject("main;f 3", tmp_path), REQUEST)
    assert shown.choice._worker is None
    shown.choice.watch(True)
    wait_until(lambda: shown.titles == {"main", "f"})


def test_other_limits_are_drawn_at_once(
    shown: Shown, tmp_path: Path, wait_until: WaitUntil
) -> None:
    shown.choice.watch(True)
    shown.choice.set_subject(make_subject("main;f 97\nmain;g 3", tmp_path), REQUEST)
    wait_until(lambda: "g" in shown.titles)
    shown.choice.hold(True)  # the pointer moves: the user who chose it wants to see it all the same
    shown.choice.choose_limits(GraphLimits(80, 0.05, 0.001))
    wait_until(lambda: shown.titles == {"main", "f"})


def test_a_refresh_waits_while_the_pointer_moves(
    shown: Shown, tmp_path: Path, wait_until: WaitUntil
) -> None:
    shown.choice.watch(True)
    shown.choice.set_subject(make_subject("main;f 3", tmp_path), REQUEST)
    wait_until(lambda: bool(shown.titles))
    shown.choice._placed_s -= 60  # long ago
    shown.choice.hold(True)
    shown.choice.set_subject(make_subject("main;f 3\nmain;g 4", tmp_path), REQUEST)
    wait_until(lambda: shown.scenes[-1] is not None and shown.scenes[-1].n_waiting == 1)
    shown.choice.hold(False)
    wait_until(lambda: "g" in shown.titles)


def test_what_is_not_wanted_any_more_is_given_up(
    shown: Shown, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow drawing is not waited for, neither by the next one nor by the end."""
    begun = threading.Event()
    n_cancelled: list[int] = []
    draw = graph_scene.draw_graph

    def draw_slowly(
        subject: Any, limits: Any, placed: Any, is_held: bool, is_cancelled: Any
    ) -> Drawn:
        if limits == GraphLimits():
            begun.set()
            while not is_cancelled():
                pass
            n_cancelled.append(1)
            raise CancelledError
        return draw(subject, limits, placed, is_held, is_cancelled)

    monkeypatch.setattr(graph_choice, "draw_graph", draw_slowly)
    shown.choice.watch(True)
    subject = make_subject("main;f 3", tmp_path)
    shown.choice.set_subject(subject, REQUEST)
    wait_until(begun.is_set)
    shown.choice.set_subject(subject, REQUEST)  # a refresh: the same is wanted
    assert n_cancelled == []
    shown.choice.choose_limits(GraphLimits(7))
    wait_until(lambda: shown.titles == {"main", "f"})
    begun.clear()
    shown.choice.choose_limits(GraphLimits())
    wait_until(begun.is_set)
    assert shown.failures == []


def test_what_cannot_be_drawn_is_said(
    shown: Shown, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Drawn:
        raise ContentError("too\ntangled")

    monkeypatch.setattr(graph_choice, "draw_graph", fail)
    shown.choice.watch(True)
    shown.choice.set_subject(make_subject("main;f 3", tmp_path), REQUEST)
    wait_until(lambda: shown.failures == ["too tangled"])


def test_an_empty_profile_has_none(shown: Shown, tmp_path: Path, wait_until: WaitUntil) -> None:
    shown.choice.watch(True)
    shown.choice.set_subject(make_subject("main;f 0", tmp_path), replace(REQUEST, span_ns=1))
    wait_until(lambda: shown.scenes == [None])


def test_it_says_that_the_first_drawing_has_begun(
    shown: Shown, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the view would say that there is nothing, where a process has just been attached to."""
    begun: list[bool] = []
    shown.choice.begun.connect(lambda: begun.append(shown.choice.is_drawing))
    shown.choice.watch(True)
    subject = make_subject("main;f 3", tmp_path)
    nothing = replace(subject, top=replace(subject.top, cum=0 * subject.top.cum))
    shown.choice.set_subject(nothing, REQUEST)
    assert not begun
    shown.choice.set_subject(subject, REQUEST)
    assert begun == [True]
    wait_until(lambda: shown.titles == {"main", "f"})
    assert not shown.choice.is_drawing
    shown.choice.set_subject(subject, REQUEST)  # refreshed: the graph is there
    assert begun == [True]


class EagerWorker:
    """A worker whose thread goes on between any two calls: it empties a list at once, and then
    begins the job that waits."""

    def __init__(self, *_: object) -> None:
        self.waiting: Callable[[], object] | None = None

    def submit(self, _key: str, compute: Callable[[], object], *_: object) -> None:
        self.waiting = compute

    def empty(self, box: list[Any]) -> None:
        box.clear()
        if self.waiting is not None:
            self.waiting()
            self.waiting = None

    def leave(self) -> None: ...

    def wait(self) -> None: ...


def test_a_waiting_drawing_keeps_its_data_until_another_replaces_it(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drawing that began between the two calls found its data gone: "pop from empty list"."""
    drawn: list[GraphSubject] = []
    monkeypatch.setattr(graph_choice, "Worker", EagerWorker)
    monkeypatch.setattr(graph_choice, "draw_graph", lambda subject, *_: drawn.append(subject))
    first, second = (make_subject(f"main;f {n}", tmp_path) for n in (3, 4))
    shown.choice.watch(True)
    shown.choice.set_subject(first, REQUEST)
    shown.choice.set_subject(second, REQUEST)
    assert drawn[-1] is second


def test_a_graph_that_waits_to_be_drawn_is_released_at_the_end(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was freed by the GUI thread, with the tab: arrays of 400 MB of a large profile."""
    gate, begun = threading.Event(), threading.Event()

    def draw_slowly(*_: Any) -> Drawn:
        begun.set()
        gate.wait(30)
        raise CancelledError

    monkeypatch.setattr(graph_choice, "draw_graph", draw_slowly)
    shown.choice.watch(True)
    shown.choice.set_subject(make_subject("main;f 3", tmp_path), REQUEST)
    begun.wait(30)
    waiting = make_subject("main;g 3", tmp_path)
    shown.choice.set_subject(waiting, REQUEST)
    kept = weakref.ref(waiting.top.flat)
    del waiting
    shown.choice.leave()
    gate.set()
    shown.choice.wait()
    assert kept() is None
