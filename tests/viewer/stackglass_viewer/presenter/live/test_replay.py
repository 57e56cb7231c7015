"""Replay: the span that moves by a clock, which only the tests move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from harness.fake_clock import FakeClock
from harness.heap_talk import HeapTalk, S
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.presenter.live.replay import Replay, ReplayState
from stackglass_viewer.presenter.live.timeline import Timeline
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers, TimelineMarks
from stackglass_viewer.presenter.settings.palettes import choose_palette


class Player:
    """A replay of a session of a minute, whose first second is not known."""

    def __init__(self, markers: TimelineMarkers) -> None:
        self.clock = FakeClock(5 * S)
        self.markers = markers
        self.is_busy = False
        self.replay = Replay(markers, self.clock, lambda: self.is_busy, markers)

    def pass_time(self, seconds: float) -> tuple[float, float]:
        """The span after that."""
        self.clock.advance(round(seconds * S))
        if self.replay.state.is_playing:
            self.replay.tick()
        return self.markers.marks.span


@pytest.fixture
def player(qt: QApplication, wait_until: Any) -> Iterator[Player]:
    talk = HeapTalk()
    talk.define((2, 1))
    for second in range(1, 61):
        talk.sums(second, (0, second, second * 100, 0, 0), rss=second << 20)
    timeline = Timeline(talk.live, choose_palette("module", is_dark=False))
    timeline.set_width(600)
    wait_until(lambda: timeline.picture is not None)
    yield Player(timeline.markers)
    timeline.leave()
    timeline.wait()


def test_what_was_shown_live_moves_from_the_start(player: Player) -> None:
    player.replay.choose_length(10 * S)
    player.replay.play()
    assert player.pass_time(2) == (100, 300)  # as a capture shows it in its first seconds
    assert player.pass_time(13) == (600, 1600)
    assert player.markers.marks.window == HeapWindow("replay", 600, 1600)


def test_all_since_the_start_grows(player: Player) -> None:
    player.replay.play()
    assert player.pass_time(13) == (100, 1400)


def test_a_drawn_span_keeps_its_length(player: Player) -> None:
    player.replay.choose_length(10 * S)
    player.markers.choose_span(2000, 2500)
    player.replay.play()
    assert player.pass_time(1) == (2100, 2600)
    player.markers.choose_span(1000, 1200)  # the user drags it elsewhere meanwhile
    assert player.pass_time(1) == (1100, 1300)


def test_faster(player: Player) -> None:
    player.replay.play()
    player.pass_time(1)
    player.replay.step_speed()
    assert player.pass_time(2) == (100, 1000)
    player.replay.choose_speed(16)
    assert player.pass_time(1) == (100, 2600)
    player.replay.step_speed()
    assert player.pass_time(1) == (100, 2700)


def test_a_pause_takes_no_time_of_the_session(player: Player) -> None:
    player.replay.choose_length(10 * S)
    player.replay.play()
    player.pass_time(20)
    player.replay.toggle()
    assert player.pass_time(100) == (1100, 2100)
    player.replay.choose_speed(4)
    player.replay.toggle()
    assert player.pass_time(1) == (1500, 2500)


def test_it_pauses_at_the_end_and_begins_again(player: Player, heard: Any) -> None:
    player.replay.changed.connect(heard.hear)
    player.replay.play()
    assert player.pass_time(1000) == (100, 6000)
    assert heard.values == [ReplayState(is_playing=True), ReplayState()]
    player.replay.play()
    assert player.pass_time(1) == (100, 200)


def test_now_ends_it(player: Player) -> None:
    player.replay.play()
    player.pass_time(1)
    player.markers.choose_mode("now")
    assert not player.replay.state.is_playing
    assert player.markers.marks.mode == "now"
    player.replay.play()
    assert player.pass_time(1) == (100, 200)


def test_views_that_are_busy_are_waited_for(player: Player) -> None:
    player.replay.play()
    assert player.pass_time(1) == (100, 200)
    player.is_busy = True
    assert player.pass_time(3) == (100, 200)
    player.is_busy = False
    assert player.pass_time(1) == (100, 600)  # by the clock


def test_a_span_that_is_drawn_afterwards_is_no_replay(player: Player) -> None:
    player.replay.play()
    player.pass_time(10)
    player.replay.pause()
    player.markers.choose_span(200, 300)
    assert player.markers.marks == TimelineMarks("span", span=(200, 300))


def test_it_waits_for_the_timeline(qt: QApplication, wait_until: Any) -> None:
    talk = HeapTalk()
    for second in range(1, 61):
        talk.status(second)
    timeline = Timeline(talk.live, choose_palette("module", is_dark=False))
    player = Player(timeline.markers)
    player.replay.play()
    player.pass_time(30)
    timeline.draw()
    wait_until(lambda: timeline.picture is not None)
    assert player.pass_time(1) == (100, 200)
    timeline.leave()
    timeline.wait()
