"""Heap maps drawn off the GUI thread: coarse at once, exact when nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.shop_trace import open_shop
from stackglass_viewer.model.memory_trace import map_drawing
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.map_choice import MapChoice
from stackglass_viewer.presenter.memory_trace.map_drawer import MapDrawer, MapPaint
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.map_picture import MapPicture
from stackglass_viewer.presenter.memory_trace.turns import Turns
from stackglass_viewer.presenter.settings.palettes import choose_palette

WaitUntil = Callable[[Callable[[], bool]], None]
DARK, LIGHT = choose_palette("module", True), choose_palette("module", False)


class Drawn:
    """A drawer with its choice, and what it has drawn."""

    def __init__(self, trace: MemoryTrace) -> None:
        self.turns = Turns()
        self.drawer = MapDrawer(trace, self.turns, MapPaint(DARK))
        self.choice = MapChoice(trace.whole, self.drawer, DARK)
        self.pictures: list[MapPicture] = []
        self.progress: list[float | None] = []
        self.drawer.picture_changed.connect(self.pictures.append)
        self.drawer.progress_changed.connect(self.progress.append)
        self.choice.set_shape(40, 80)


@pytest.fixture
def drawn(qt: QApplication, tmp_path: Path) -> Iterator[Drawn]:
    made = Drawn(open_shop(tmp_path))
    yield made
    made.drawer.leave()
    made.drawer.wait()


def test_nothing_is_drawn_before_it_is_looked_at(drawn: Drawn, wait_until: WaitUntil) -> None:
    assert not drawn.drawer._worker.is_busy("map")
    drawn.choice.show(True)
    wait_until(lambda: len(drawn.pictures) == 1)
    assert drawn.pictures[0].heap_map.shape == (40, 80)


def test_an_exact_picture_follows_a_coarse_one(
    drawn: Drawn, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_drawing, "EXACT_NS", -1)
    drawn.choice.show(True)
    wait_until(lambda: len(drawn.pictures) == 2)
    assert [each.heap_map.is_exact for each in drawn.pictures] == [False, True]
    assert drawn.progress[0] == 0.0
    assert drawn.progress[-1] is None


def test_an_exact_picture_waits_for_questions(
    drawn: Drawn, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_drawing, "EXACT_NS", -1)
    with drawn.turns.ask():
        drawn.choice.show(True)
        wait_until(lambda: len(drawn.pictures) == 1)
        drawn.drawer._draw_exactly()
        assert not drawn.progress
    wait_until(lambda: drawn.pictures[-1].heap_map.is_exact)


def test_other_colours_are_painted_without_drawing(drawn: Drawn, wait_until: WaitUntil) -> None:
    drawn.choice.show(True)
    wait_until(lambda: len(drawn.pictures) == 1)
    drawn.choice.choose_palette(LIGHT)
    wait_until(lambda: len(drawn.pictures) == 2)
    drawn.choice.choose_group("app.Node")
    wait_until(lambda: len(drawn.pictures) == 3)
    first, light, chosen = drawn.pictures
    assert first.heap_map is light.heap_map is chosen.heap_map
    assert (first.pixels != light.pixels).any()
    assert chosen.legend.chosen == "app.Node"


def test_another_colouring_is_drawn_anew(drawn: Drawn, wait_until: WaitUntil) -> None:
    drawn.choice.show(True)
    wait_until(lambda: len(drawn.pictures) == 1)
    drawn.choice.choose_colouring(Colouring.SITE)
    wait_until(lambda: drawn.pictures[-1].legend.colouring is Colouring.SITE)


def test_a_zoomed_part_is_drawn(drawn: Drawn, wait_until: WaitUntil) -> None:
    drawn.choice.show(True)
    wait_until(lambda: len(drawn.pictures) == 1)
    drawn.choice.zoom((0.5, 0.5), (2.0, 1.0))
    wait_until(lambda: drawn.pictures[-1].heap_map.window == drawn.choice.window)
    assert drawn.choice.is_zoomed
    drawn.choice.show_all()
    assert not drawn.choice.is_zoomed
