"""Lanes, calls and heat map of a tab: drawn while they are looked at, as they are wanted now."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtWidgets import QApplication

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.presenter.document import time_chart
from stackglass_viewer.presenter.document.flame_scene import FlameScene, name_of
from stackglass_viewer.presenter.document.lanes_picture import LanesPicture, LanesViewport
from stackglass_viewer.presenter.document.time_chart import HeatPicture, TimeChart
from stackglass_viewer.presenter.document.time_chart_data import ActivityKind, Timed
from stackglass_viewer.presenter.settings.palettes import choose_palette

WaitUntil = Callable[[Callable[[], bool]], None]
PALETTE = choose_palette("module", is_dark=False)
TEXT = """
    A run;load 0 60
    A run;save 60 100
    B spin 20 40
"""


def make_timed(
    text: str = TEXT, is_live: bool = False, kinds: tuple[ActivityKind, ...] = ()
) -> Timed:
    stretches = make_stretches(text, kinds={"load": 0, "save": 1})
    tree = stretches.tree
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    return Timed(stretches, colours, PALETTE.root, kinds, is_live)


class Shown:
    """A chart that is looked at, and what it has shown."""

    def __init__(self, wait_until: WaitUntil) -> None:
        self._wait_until = wait_until
        self.chart = TimeChart()
        self.pictures: list[LanesPicture | None] = []
        self.scenes: list[FlameScene | None] = []
        self.heats: list[HeatPicture] = []
        self.n_wanted = 0
        self.chart.picture_changed.connect(self.pictures.append)
        self.chart.chart_changed.connect(self.scenes.append)
        self.chart.heat_changed.connect(self.heats.append)
        self.n_released = 0
        self.chart.chart_released.connect(self._count_released)
        self.chart.watched.connect(self._count)

    def _count_released(self) -> None:
        self.n_released += 1

    def _count(self, is_watched: bool) -> None:
        self.n_wanted += is_watched

    def look(self, timed: Timed | None, width_px: int = 50) -> None:
        self.chart.watch(True)
        self.chart.set_viewport(LanesViewport(0, 8, width_px, 10))
        self.chart.set_timed(timed)

    def settle(self, act: Callable[[], object] = lambda: None) -> None:
        """Until what an act leads to is drawn; a later job of the worker ends after it."""
        act()
        n_heats = len(self.heats)
        self.chart.show_heat(True)
        self._wait_until(lambda: len(self.heats) > n_heats)
        self.chart.show_heat(False)

    @property
    def picture(self) -> LanesPicture:
        last = self.pictures[-1]
        assert last is not None
        return last

    @property
    def scene(self) -> FlameScene:
        last = self.scenes[-1]
        assert last is not None
        return last

    @property
    def calls(self) -> list[str]:
        return [name_of(self.scene, node) for node in range(self.scene.tree.n_nodes)]


@pytest.fixture
def shown(qt: QApplication, wait_until: WaitUntil) -> Iterator[Shown]:
    made = Shown(wait_until)
    yield made
    made.chart.leave()
    made.chart.wait()


def test_lanes_and_the_calls_of_the_first_are_drawn(shown: Shown) -> None:
    shown.look(make_timed())
    shown.settle()
    assert [lane.name for lane in shown.picture.lanes] == ["A", "B"]
    assert shown.picture.window == (0, 100 * MS)
    assert shown.picture.pixels.shape == (2, 10, 17), "three pixels for a function's colour"
    assert (shown.picture.pixels[0] != 0).all()
    is_b = (shown.picture.pixels[1] != 0).any(axis=0)
    bins = [(100 * at / 17, 100 * (at + 1) / 17) for at in range(17)]
    assert is_b.tolist() == [begin < 40 and end > 20 for begin, end in bins]
    assert shown.calls == ["A", "run", "load", "save"]
    assert shown.scene.values.total.tolist() == [100 * MS, 100 * MS, 60 * MS, 40 * MS]


def test_calls_have_the_colours_of_the_legend(shown: Shown) -> None:
    """They had those of their packages, one of which is the legend's for waiting."""
    reads = ActivityKind(("state", "in a system call"), 0xFF0000FF)
    waits = ActivityKind(("state", "waiting for a lock"), 0xFFFF00FF)
    shown.settle(lambda: shown.look(make_timed(kinds=(reads, waits))))
    scene = shown.scenes[-1]
    assert scene is not None
    assert scene.own_colours is not None
    colours = dict(
        zip(map(partial(name_of, scene), range(4)), scene.own_colours.tolist(), strict=True)
    )
    assert colours == {
        "A": PALETTE.root, "run": reads.colour, "load": reads.colour, "save": waits.colour,
    }  # fmt: skip


def test_a_heat_map_counts_the_threads(shown: Shown) -> None:
    shown.look(make_timed())
    shown.settle()
    assert shown.heats[-1].heat.heat[0, :6].tolist() == [1, 2, 1, 1, 1, 0]
    assert (shown.heats[-1].first_ns, shown.heats[-1].last_ns) == (0, 100 * MS)


def test_nothing_is_drawn_unless_it_is_looked_at(shown: Shown) -> None:
    shown.chart.set_viewport(LanesViewport(0, 8, 50, 10))
    shown.chart.set_timed(make_timed())
    shown.chart.choose_lane(make_timed().stretches.lanes[1])
    assert (shown.pictures, shown.n_wanted) == ([], 0)
    shown.chart.watch(True)
    shown.chart.watch(True)
    assert shown.n_wanted == 1
    shown.settle(lambda: shown.look(make_timed()))
    assert shown.calls == ["B", "spin"]


def test_without_times_there_is_nothing(shown: Shown) -> None:
    shown.look(None)
    assert (shown.pictures, shown.scenes) == ([None], [None])
    shown.settle(lambda: shown.look(make_timed()))
    shown.chart.set_timed(None)
    assert shown.pictures[-1] is None
    assert shown.chart.picture is None


def test_what_is_drawn_of_data_that_are_gone_is_not_shown(
    shown: Shown, wait_until: WaitUntil
) -> None:
    shown.look(make_timed())
    shown.chart.set_timed(None)
    worker = shown.chart._worker
    assert worker is not None
    over: list[None] = []
    worker.submit("last", lambda: None, over.append)
    wait_until(lambda: bool(over))
    assert (shown.pictures, shown.scenes) == ([None], [None])
    assert shown.chart.picture is None


def test_the_calls_are_of_the_lane_and_the_span_that_are_chosen(shown: Shown) -> None:
    timed = make_timed()
    shown.look(timed)
    shown.settle(lambda: shown.chart.set_span((50 * MS, 70 * MS)))
    assert shown.scene.values.total.tolist() == [20 * MS, 20 * MS, 10 * MS, 10 * MS]
    over_time = shown.scene.over_time
    assert over_time is not None
    assert (over_time.begin_ns, over_time.end_ns) == (50 * MS, 70 * MS)
    shown.settle(lambda: shown.chart.choose_lane(timed.stretches.lanes[1]))
    assert (shown.calls, shown.picture.chosen) == (["B"], 1)
    shown.settle(lambda: shown.chart.set_span(None))
    assert shown.calls == ["B", "spin"]


def test_less_time_is_shown_about_a_moment(shown: Shown) -> None:
    shown.look(make_timed())
    shown.settle(lambda: shown.chart.zoom(75 * MS, 2))
    assert shown.picture.window == (37_500_000, 87_500_000)
    assert shown.picture.whole == (0, 100 * MS)
    assert shown.scene.over_time is not None
    assert shown.scene.over_time.begin_ns == 37_500_000, "without a span the calls follow"
    shown.settle(lambda: shown.chart.pan(1000 * MS))
    assert shown.picture.window == (50 * MS, 100 * MS)
    assert shown.chart.is_zoomed
    shown.settle(lambda: shown.chart.pan(-1000 * MS))
    assert shown.picture.window == (0, 50 * MS)
    shown.settle(lambda: shown.chart.zoom(0, 0.1))
    assert (shown.picture.window, shown.chart.is_zoomed) == ((0, 100 * MS), False)
    shown.settle(lambda: shown.chart.pan(5 * MS))
    assert shown.picture.window == (0, 100 * MS), "all of it cannot be moved"


def test_zoom_ends_at_a_microsecond(shown: Shown) -> None:
    shown.look(make_timed())
    shown.settle(lambda: shown.chart.zoom(10 * MS, 1e12))
    begin, end = shown.picture.window
    assert end - begin == 1000
    assert begin < 10 * MS < end


def test_a_chosen_span_keeps_its_calls_while_lanes_move(shown: Shown) -> None:
    shown.look(make_timed())
    shown.settle(lambda: shown.chart.set_span((50 * MS, 70 * MS)))
    n_scenes = len(shown.scenes)
    shown.settle(lambda: shown.chart.zoom(20 * MS, 2))
    assert len(shown.scenes) == n_scenes


def test_lanes_out_of_sight_are_not_painted(shown: Shown) -> None:
    shown.look(make_timed("\n".join(f"T{at} f 0 {100 - at}" for at in range(20))))
    shown.settle(lambda: shown.chart.set_viewport(LanesViewport(15, 3, 50, 10)))
    assert len(shown.picture.lanes) == 20
    assert (shown.picture.first_lane, len(shown.picture.pixels)) == (15, 3)
    shown.settle(lambda: shown.chart.set_viewport(LanesViewport(18, 8, 50, 10)))
    assert len(shown.picture.pixels) == 2


def test_lanes_of_a_process_stay_where_they_are(shown: Shown) -> None:
    shown.look(make_timed("A f 0 50\nB g 0 40", is_live=True))
    shown.settle()
    later = make_timed("C h 0 90\nB g 0 80\nA f 0 50", is_live=True)
    shown.settle(lambda: shown.chart.set_timed(later))
    assert [lane.name for lane in shown.picture.lanes] == ["A", "B", "C"]
    assert shown.calls == ["A", "f"]
    shown.settle(lambda: shown.chart.set_timed(make_timed("C h 0 90\nA f 0 50")))
    assert [lane.name for lane in shown.picture.lanes] == ["C", "A"], "a file: most first"


def test_what_is_shown_already_is_not_drawn_again(shown: Shown) -> None:
    timed = make_timed()
    shown.look(timed)
    shown.settle()
    n_pictures = len(shown.pictures)
    shown.settle(lambda: shown.chart.set_timed(timed))
    assert len(shown.pictures) == n_pictures


def test_what_was_drawn_is_given_back_once_nobody_looks(
    shown: Shown, wait_until: WaitUntil
) -> None:
    shown.settle(lambda: shown.look(make_timed()))
    chart = weakref.ref(shown.scene.values.total)
    assert shown.n_released == 0
    shown.chart.watch(False)
    shown.scenes.clear()
    shown.chart.set_timed(None)  # as the document does after ``watched``
    assert shown.n_released == 1
    wait_until(lambda: chart() is None)
    shown.chart.set_timed(None)
    assert shown.n_released == 1, "there is no more to be left"
    shown.settle(lambda: shown.look(make_timed()))
    assert shown.calls == ["A", "run", "load", "save"]
    shown.settle(lambda: shown.look(make_timed()))
    shown.scenes[:] = shown.scenes[-1:]
    assert shown.n_released == 1


def test_a_process_with_deep_stacks_has_a_coarser_chart(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is drawn again each second, and takes room each time."""
    monkeypatch.setattr(time_chart, "LIVE_CALLS", 3)
    shown.settle(lambda: shown.look(make_timed(is_live=True)))
    over_time = shown.scene.over_time
    assert over_time is not None
    assert over_time.is_coarse
    shown.settle(lambda: shown.look(make_timed()))
    over_time = shown.scene.over_time
    assert over_time is not None
    assert not over_time.is_coarse


def test_lanes_fit_a_view_that_was_resized_while_it_was_hidden(shown: Shown) -> None:
    timed = make_timed()
    shown.settle(lambda: shown.look(timed))
    shown.chart.watch(False)
    shown.chart.set_viewport(LanesViewport(0, 8, 90, 10))
    shown.chart.watch(True)
    shown.settle(lambda: shown.chart.set_timed(timed))  # the build finds nothing new
    assert shown.picture.pixels.shape == (2, 10, 30)
