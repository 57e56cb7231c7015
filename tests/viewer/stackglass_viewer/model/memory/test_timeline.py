"""The timeline of a session's memory: what is drawn of it, and what it says of a moment."""

from __future__ import annotations

import pytest

from harness.heap_talk import START_NS, HeapTalk
from stackglass.errors import WireError
from stackglass_viewer.model.memory.timeline import draw_timeline, read_timeline
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, Heap

MIB = 1 << 20


@pytest.fixture
def talk() -> HeapTalk:
    reported = HeapTalk()
    reported.define((2, 1))
    reported.status(0.5, rss=50 * MIB)
    for tenth in range(10, 100):
        reported.events((0, 7, tenth / 10, 1, 1000 + tenth))
        reported.status(tenth / 10, rss=60 * MIB + tenth, accounted=tenth * 100)
    reported.collections([(2.0, 0, 1000, 5), (7.0, 2, 90_000, 70)])
    return reported


def test_lines_are_what_the_engine_says(talk: HeapTalk) -> None:
    record = talk.live.capture_memory()
    assert (record.first, record.now, record.start_mono_ns) == (50, 990, START_NS)
    picture = draw_timeline(record, 0, 1000, 500)
    assert picture.rss.time.tolist()[:3] == [50, 100, 110]
    assert picture.rss.high.tolist()[:2] == [50 * MIB, 60 * MIB + 10]
    assert picture.accounted.high.tolist()[-1] == 9900
    assert picture.rate.time.tolist()[-1] == 985  # what is not over yet is not reported
    assert picture.rate.high.tolist()[-1] == (1000 + 98) * 10
    assert picture.pauses.generation.tolist() == [0, 2]


def test_a_pixel_keeps_its_peaks(talk: HeapTalk) -> None:
    talk.status(10.0, rss=900 * MIB)
    talk.status(10.1, rss=60 * MIB)
    picture = draw_timeline(talk.live.capture_memory(), 0, 1010, 10)
    assert len(picture.rss.time) <= 12
    assert picture.rss.high.max() == 900 * MIB
    assert picture.rss.low.min() == 50 * MIB


def test_a_moment_is_read_from_the_picture(talk: HeapTalk) -> None:
    picture = draw_timeline(talk.live.capture_memory(), 0, 1000, 500)
    moment = read_timeline(picture, 701.0, reach=3)
    assert (moment.rss_bytes, moment.accounted_bytes) == (60 * MIB + 70, 7000)
    assert moment.rate_bytes == 10_700
    assert moment.pause is not None
    assert (moment.pause.generation, moment.pause.longest_ns, moment.pause.n_freed) == (
        2,
        90_000,
        70,
    )
    assert read_timeline(picture, 650.0, reach=3).pause is None


def test_before_the_heap_is_reported_there_is_nothing() -> None:
    record = HeapTalk().live.capture_memory()
    assert record.is_empty
    moment = read_timeline(draw_timeline(record, 0, 0, 100), 0.0, 1)
    assert (moment.rss_bytes, moment.accounted_bytes, moment.rate_bytes) == (None, None, None)


def test_lost_events_are_reported(talk: HeapTalk) -> None:
    talk.status(10, n_lost=3)
    assert talk.live.capture_memory().n_lost_events == 3


@pytest.mark.parametrize(
    "heap",
    [
        Heap(
            event_bucket=[9],
            event_tid=[1],
            event_time=[1],
            event_count=[1],
            event_bytes=[1],
            event_is_free=[0],
        ),
        Heap(event_bucket=[0]),
        Heap(collection_start_mono_ns=[1]),
        Heap(
            event_bucket=[0],
            event_tid=[1],
            event_time=[2**32 - 1],
            event_count=[1],
            event_bytes=[1],
            event_is_free=[0],
        ),
    ],
)
def test_what_makes_no_sense_is_refused(talk: HeapTalk, heap: Heap) -> None:
    with pytest.raises(WireError):
        talk.live.apply(FromEngine(heap=heap))
