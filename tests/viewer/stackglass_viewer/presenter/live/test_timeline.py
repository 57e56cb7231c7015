"""Markers, span and view of a timeline, on a session whose integers are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from harness.heap_talk import START_NS, HeapTalk
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, Metrics
from stackglass_viewer.presenter.live.timeline import Timeline
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarks
from stackglass_viewer.presenter.settings.palettes import choose_palette

PALETTE = choose_palette("module", is_dark=False)


@pytest.fixture
def talk() -> HeapTalk:
    """A status each second from 1 to 60."""
    reported = HeapTalk()
    reported.define((2, 1))
    for second in range(1, 61):
        reported.sums(second, (0, second, second * 100, 0, 0), rss=second << 20)
    return reported


@pytest.fixture
def timeline(qt: QApplication, talk: HeapTalk, wait_until: Any) -> Iterator[Timeline]:
    made = Timeline(talk.live, PALETTE)
    made.set_width(600)
    wait_until(lambda: made.picture is not None)
    yield made
    made.leave()
    made.wait()


def test_the_whole_session_is_drawn(timeline: Timeline) -> None:
    picture = timeline.picture
    assert picture is not None
    assert (picture.left, picture.right) == (100, 6000)
    assert picture.rss.high.max() == 60 << 20


def test_two_widths_of_as_many_points_before_the_first_is_drawn(
    qt: QApplication, talk: HeapTalk, wait_until: Any
) -> None:
    """A window's layout sets such widths in one step: the picture of no width remained."""
    made = Timeline(talk.live, PALETTE)
    made.draw()
    wait_until(lambda: made.picture is not None)
    assert made.picture is not None
    assert len(made.picture.rss.high) < 10
    made.set_width(1226)
    made.set_width(1227)
    wait_until(lambda: made.picture is not None and len(made.picture.rss.high) > 50)
    made.leave()
    made.wait()


def test_nothing_is_drawn_where_it_cannot_be_seen(timeline: Timeline, heard: Any) -> None:
    """Of a tab in the background it was drawn three times a second."""
    timeline.show(is_front=False)
    timeline.show(True)
    assert not timeline._timer.isActive()
    timeline.show(is_front=True)
    assert timeline._timer.isActive()
    timeline.show(False)
    assert not timeline._timer.isActive()
    timeline.show(is_front=False)
    timeline.show(is_front=True)
    assert not timeline._timer.isActive()


def test_a_young_session_has_room(qt: QApplication, wait_until: Any) -> None:
    talk = HeapTalk()
    talk.status(1)
    timeline = Timeline(talk.live, PALETTE)
    timeline.draw()
    wait_until(lambda: timeline.picture is not None)
    assert timeline.picture is not None
    assert (timeline.picture.left, timeline.picture.right) == (100, 3100)
    timeline.leave()
    timeline.wait()


def test_growth_begins_with_two_markers(timeline: Timeline, heard: Any, wait_until: Any) -> None:
    timeline.markers.window_changed.connect(heard.hear)
    timeline.markers.choose_mode("growth")
    assert heard.last == HeapWindow("growth", 1575, None)
    wait_until(lambda: timeline.markers.marks.a == 1600)  # the known moment next to it
    assert heard.last == HeapWindow("growth", 1600, None)
    timeline.markers.choose_mode("now")
    assert heard.last is None
    timeline.markers.choose_mode("growth")
    assert timeline.markers.marks.a == 1600


def test_a_dragged_marker_goes_where_it_is_known(
    timeline: Timeline, heard: Any, wait_until: Any
) -> None:
    timeline.markers.window_changed.connect(heard.hear)
    timeline.markers.move("a", 1234)
    timeline.markers.move("b", 4321)
    assert heard.values[-1] == HeapWindow("growth", 1234, 4321)
    timeline.markers.drop()
    wait_until(lambda: timeline.markers.marks == TimelineMarks("growth", 1200, 4300))
    assert heard.last == HeapWindow("growth", 1200, 4300)
    timeline.markers.move("b", 99_999)
    assert timeline.markers.marks.b == 6000
    timeline.markers.move("a", -5)
    assert timeline.markers.marks.a == 100


def test_keys_put_markers_where_the_pointer_is(timeline: Timeline, wait_until: Any) -> None:
    timeline.hover(2040.0)
    timeline.markers.put("a")
    wait_until(lambda: timeline.markers.marks.a == 2000)
    timeline.hover(None)
    timeline.markers.put("b")
    assert timeline.markers.marks.b is None  # now, and whatever comes
    timeline.markers.put("a")
    wait_until(lambda: timeline.markers.marks.a == 6000)


def test_keys_work_before_anything_is_drawn(
    qt: QApplication, talk: HeapTalk, wait_until: Any
) -> None:
    timeline = Timeline(talk.live, PALETTE)
    timeline.markers.put("a")
    timeline.draw()
    wait_until(lambda: timeline.markers.marks == TimelineMarks("growth", 6000))
    timeline.leave()
    timeline.wait()


def test_arrows_move_the_marker_moved_last(timeline: Timeline, wait_until: Any) -> None:
    timeline.markers.move("a", 2000)
    timeline.markers.move("b", 4000)
    timeline.markers.step(40)  # some 393 units
    wait_until(lambda: timeline.markers.marks.b == 4400)
    timeline.markers.step(-40)
    wait_until(lambda: timeline.markers.marks.b == 4000)
    assert timeline.markers.marks.a == 2000


def test_a_brush_asks_for_what_was_allocated(timeline: Timeline, heard: Any) -> None:
    timeline.markers.window_changed.connect(heard.hear)
    timeline.markers.choose_span(3000, 1500)
    assert heard.last == HeapWindow("span", 1500, 3000)
    timeline.markers.choose_mode("now")
    timeline.markers.choose_mode("span")
    assert heard.last == HeapWindow("span", 1500, 3000)


def test_zoom_stays_within_the_session(timeline: Timeline, wait_until: Any) -> None:
    def view() -> tuple[float, float]:
        picture = timeline.picture
        assert picture is not None
        return picture.left, picture.right

    timeline.zoom(3050, 2.0)
    wait_until(lambda: view() == (1575, 4525))
    timeline.pan(10_000)
    wait_until(lambda: view() == (3050, 6000))
    timeline.zoom(6000, 1e9)
    wait_until(lambda: view() == (5950, 6000))
    timeline.zoom(5000, 1e-9)
    wait_until(lambda: view() == (100, 6000))
    timeline.zoom(3050, 2.0)
    timeline.show_all()
    wait_until(lambda: view() == (100, 6000))


def test_the_pointer_reads_what_is_drawn(timeline: Timeline, heard: Any) -> None:
    timeline.moment_changed.connect(heard.hear)
    timeline.hover(2990.0)
    assert heard.last.rss_bytes == 30 << 20
    timeline.hover(None)
    assert (heard.last.time, heard.last.rss_bytes) == (6000, 60 << 20)


def test_nothing_is_drawn_while_it_stands_still(
    timeline: Timeline, talk: HeapTalk, wait_until: Any
) -> None:
    timeline.pause(True)
    timeline.show(True)
    wait_until(lambda: timeline._held is not None and not timeline._worker.is_busy("draw"))
    talk.status(70)
    timeline._on_timer()
    assert not timeline._worker.is_busy("draw")
    timeline.pause(False)
    timeline._on_timer()
    wait_until(lambda: timeline.picture is not None and timeline.picture.now == 7000)


def test_what_is_chosen_while_it_stands_still_shows_that_moment(
    timeline: Timeline, talk: HeapTalk, wait_until: Any
) -> None:
    """Another lane, another part and another width were reasons to draw what had come since."""
    timeline.pause(True)
    wait_until(lambda: timeline._held is not None)
    talk.status(70)

    def check(choose: Callable[[], None]) -> None:
        before = timeline.picture
        choose()
        wait_until(lambda: timeline.picture is not before)
        assert timeline.picture is not None
        assert timeline.picture.now == 6000
        assert timeline.picture.right <= 6000

    check(lambda: timeline.choose_lane("tasks"))
    check(lambda: timeline.zoom(3000, 2))
    check(lambda: timeline.set_width(400))
    check(timeline.show_all)
    timeline.pause(False)
    timeline.draw()
    wait_until(lambda: timeline.picture is not None and timeline.picture.now == 7000)


def test_what_has_not_changed_is_not_drawn_again(
    timeline: Timeline, talk: HeapTalk, heard: Any, wait_until: Any
) -> None:
    timeline.picture_changed.connect(heard.hear)
    timeline.draw()
    timeline._worker.submit("then", lambda: None, heard.hear)
    wait_until(lambda: heard.values == [None])  # and no picture before it
    talk.status(61)
    timeline.draw()
    wait_until(lambda: len(heard.values) == 2)


def test_another_lane_is_drawn_at_once_and_in_its_colours(
    timeline: Timeline, heard: Any, wait_until: Any
) -> None:
    timeline.pause(True)
    timeline.lane_chosen.connect(lambda choice, colours: heard.hear((choice.key, colours)))
    timeline.choose_lane("tasks")
    wait_until(lambda: timeline.lane is not None and timeline.lane.key == "tasks")
    key, light = heard.last
    assert (key, set(light)) == ("tasks", {"running", "ready", "suspended"})
    timeline.choose_palette(choose_palette("module", is_dark=True))
    assert heard.last[0] == "tasks"
    assert heard.last[1] != light


def test_a_session_without_memory_has_its_metrics(qt: QApplication, wait_until: Any) -> None:
    talk = HeapTalk()
    for second in (1, 2, 3):
        ns = second * 10**9
        message = Metrics(time_mono_ns=START_NS + ns, thread_ns=[0, ns, 0, 0, 0], task_ns=[0, 0, 0])
        talk.live.apply(FromEngine(metrics=message))
    timeline = Timeline(talk.live, PALETTE)
    timeline.set_width(600)
    wait_until(lambda: timeline.lane is not None)
    assert timeline.lane is not None
    assert timeline.picture is not None
    assert (timeline.picture.first, timeline.picture.now) == (100, 300)
    assert timeline.lane.highest == 1
    timeline.leave()
    timeline.wait()
