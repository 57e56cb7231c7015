"""What a screen reader gets of the timeline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from harness.accessible import find_current, find_part_at, list_parts
from harness.heap_talk import START_NS, HeapTalk
from stackglass_viewer.model.memory.timeline import draw_timeline
from stackglass_viewer.model.metrics.lanes import LaneKey, draw_lane
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, Metrics
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarks
from stackglass_viewer.presenter.settings.lane_choices import find_choice
from stackglass_viewer.view.timeline.plot import TimelinePlot
from stackglass_viewer.view.widgets.theme import load_theme

MIB = 1 << 20
USED = {10: 10 * MIB, 20: 40 * MIB, 30: 20 * MIB}
"""In use, by seconds."""


@pytest.fixture
def plot(qt: QApplication) -> Iterator[TimelinePlot]:
    made = TimelinePlot()
    made.resize(700, 200)
    made.lay_out()
    made.fill()
    made.add_marks()
    made.set_theme(load_theme("light"))
    made.show()
    qt.processEvents()
    assert made._plot_px() > 500
    yield made
    made.deleteLater()


def show_picture(plot: TimelinePlot, left: float = 1000, right: float = 3000) -> None:
    talk = HeapTalk()
    for second, used_bytes in USED.items():
        talk.status(second, rss=50 * MIB, accounted=used_bytes)
    plot.show_picture(draw_timeline(talk.live.capture_memory(), left, right, 300))


def test_without_a_picture_there_are_no_points(plot: TimelinePlot) -> None:
    assert list_parts(plot) == []
    assert find_current(plot) == ""


def test_the_last_moment_the_peak_and_ticks_are_read(plot: TimelinePlot) -> None:
    show_picture(plot)
    parts = list_parts(plot)
    assert parts[:2] == [
        ("Last at 0:30", "50.0 MiB RSS, 20.0 MiB in use, 0 B a second allocated"),
        ("Peak at 0:20", "50.0 MiB RSS, 40.0 MiB in use, 0 B a second allocated"),
    ]
    assert ("0:10", "50.0 MiB RSS, 10.0 MiB in use, 0 B a second allocated") in parts[2:]


def test_markers_are_read_first(plot: TimelinePlot) -> None:
    show_picture(plot)
    plot.show_marks(TimelineMarks("growth", 1000))
    assert [name for name, _ in list_parts(plot)][:2] == ["Marker A at 0:10", "Marker B at 0:30"]
    assert find_current(plot) == "Marker A at 0:10"


def test_a_span_is_read_from_its_end(plot: TimelinePlot) -> None:
    """Of a replay it is what moves."""
    show_picture(plot)
    plot.show_marks(TimelineMarks("span", span=(1000, 2000), is_replay=True))
    assert list_parts(plot)[:2] == [
        ("Span ends at 0:20", "50.0 MiB RSS, 40.0 MiB in use, 0 B a second allocated"),
        ("Span begins at 0:10", "50.0 MiB RSS, 10.0 MiB in use, 0 B a second allocated"),
    ]


def test_what_is_out_of_sight_is_said(plot: TimelinePlot) -> None:
    show_picture(plot, 1000, 2000)
    assert list_parts(plot)[0] == ("Last at 0:30", "not in view")


def test_memory_that_is_not_recorded_is_said(plot: TimelinePlot) -> None:
    plot.show_picture(draw_timeline(HeapTalk().live.capture_memory(), 0, 3000, 300, (0, 3000)))
    assert list_parts(plot)[0] == ("Last at 0:30", "no memory recorded")


def test_metrics_are_read_with_it(plot: TimelinePlot) -> None:
    talk = HeapTalk()
    for second in (10, 30):
        ns = second * 10**9
        message = Metrics(
            time_mono_ns=START_NS + ns,
            thread_ns=[0, ns, ns // 4, 0, 0],
            task_ns=[0, 0, 0],
            n_collections=[20 * second, 0, 0],
            paused_ns=[ns // 100, 0, 0],
        )
        talk.live.apply(FromEngine(metrics=message))
    record = talk.live.capture_metrics()
    plot.show_picture(draw_timeline(talk.live.capture_memory(), 0, 3000, 300, (0, 3000)))
    rows: tuple[tuple[LaneKey, str], ...] = (
        ("threads", "Threads: running 1.00, GIL 0.25, lock 0.00, system call 0.00, unknown 0.00"),
        (
            "collections",
            "Collections: generation 0 20.00/s, generation 1 0.00/s, generation 2 0.00/s",
        ),
        (
            "pauses",
            "Collector pauses: generation 0 1.00%, generation 1 0.00%, generation 2 0.00%",
        ),
    )
    for key, words in rows:
        plot.lane.choose(find_choice(key), {line.key: 0 for line in find_choice(key).lines})
        plot.lane.show(draw_lane(record, key, 0, 3000, 300))
        assert list_parts(plot)[0] == ("Last at 0:30", f"no memory recorded. {words}")


def test_the_point_below_the_pointer_is_found(plot: TimelinePlot) -> None:
    show_picture(plot)
    assert find_part_at(plot, round(plot._px_of(2000)), 60) == "Peak at 0:20"
    assert find_part_at(plot, round(plot._px_of(2000)) + 20, 60) == ""
