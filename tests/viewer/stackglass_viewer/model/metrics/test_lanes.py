"""Lanes of the timeline, of a session whose averages are known."""

from __future__ import annotations

from typing import get_args

import pytest

from stackglass_viewer.model.metrics.history import MetricsHistory, MetricsRecord
from stackglass_viewer.model.metrics.lanes import LaneKey, LanePicture, draw_lane, read_lane
from stackglass_viewer.model.proto.wire_pb2 import ContentionStatus, Metrics, Ready

S = 1_000_000_000


def record_session(n_seconds: int, is_whole: bool = True, n_arenas: int = 9) -> MetricsRecord:
    """2 threads run, 1 waits for the GIL, 3 for a lock; 4 tasks are ready, 5 are suspended; a
    turn on a processor comes 10 times a second after 2 ms."""
    history = MetricsHistory()
    history.start(Ready(time_mono_ns=S))
    for second in range(1, n_seconds + 1):
        ns = second * S
        history.add(
            Metrics(
                time_mono_ns=S + ns,
                thread_ns=[0, 2 * ns, ns, 3 * ns, 0],
                task_time_mono_ns=S + ns,
                task_ns=[0, 4 * ns, 5 * ns],
                are_tasks_whole=int(is_whole),
                run_queue_ns=second * 20_000_000,
                n_turns=second * 10,
                n_arenas=n_arenas,
            )
        )
    return history.capture()


def draw(record: MetricsRecord, key: LaneKey) -> LanePicture:
    return draw_lane(record, key, 0, 1000, 200)


@pytest.mark.parametrize("key", get_args(LaneKey))
@pytest.mark.parametrize("n_seconds", [0, 1])
def test_a_young_session_has_lanes_too(key: LaneKey, n_seconds: int) -> None:
    picture = draw(record_session(n_seconds), key)
    assert picture.key == key
    assert picture.is_empty == (key != "arenas" or not n_seconds)
    assert read_lane(picture, 50.0) == ({} if picture.is_empty else {"arenas": 8.0})


def test_layers_stand_one_upon_the_other() -> None:
    picture = draw(record_session(10), "threads")
    assert [(each.key, each.value[4], each.top[4]) for each in picture.traces] == [
        ("running", 2, 2),
        ("gil", 1, 3),
        ("lock", 3, 6),
        ("call", 0, 6),
        ("unknown", 0, 6),
    ]
    assert picture.highest == 6


def test_tasks_say_where_they_are_not_all() -> None:
    picture = draw(record_session(10), "tasks")
    assert read_lane(picture, 500.0) == {"running": 0, "ready": 4, "suspended": 5}
    assert not picture.note
    assert draw(record_session(10, is_whole=False), "tasks").note


def test_waits_are_how_many_threads_waited() -> None:
    picture = draw(record_session(10), "waits")
    assert read_lane(picture, 500.0) == {"gil": 1, "processor": pytest.approx(0.02)}
    assert picture.note, "locks are not hooked"


def test_waits_of_locks_stand_beside_what_is_sampled_of_them() -> None:
    history = MetricsHistory()
    history.start(Ready(time_mono_ns=S))
    for second in range(1, 5):
        status = ContentionStatus(
            time_mono_ns=S + second * S,
            start_mono_ns=S,
            lock_waited_ns=second * 3 * S,
            lock_sampled_ns=second * 2 * S,
        )
        history.add_contention(status)
    picture = draw(history.capture(), "waits")
    assert read_lane(picture, 200.0) == {"locks": 3, "sampled": 2}
    assert not picture.note


def test_the_run_queue_is_the_wait_for_a_turn() -> None:
    picture = draw(record_session(10), "queue")
    assert (picture.unit, read_lane(picture, 500.0)) == ("nanoseconds", {"turn": 2_000_000})


def record_collections() -> MetricsRecord:
    """A second has 20 collections of generation 0, 1 ms each, and one of generation 2, of 5 ms."""
    history = MetricsHistory()
    history.start(Ready(time_mono_ns=S))
    for second in range(1, 11):
        ns = second * S
        history.add(
            Metrics(
                time_mono_ns=S + ns,
                thread_ns=[0, ns, 0, 0, 0],
                task_time_mono_ns=S + ns,
                task_ns=[0, 0, 0],
                n_collections=[20 * second, 0, second],
                paused_ns=[20_000_000 * second, 0, 5_000_000 * second],
            )
        )
    return history.capture()


def test_collections_are_how_many_there_were_a_second() -> None:
    picture = draw(record_collections(), "collections")
    assert (picture.unit, picture.is_stacked, picture.note) == ("per second", True, "")
    assert read_lane(picture, 500.0) == {"0": 20, "1": 0, "2": 1}
    assert picture.highest == 21


def test_pauses_are_a_share_of_the_time() -> None:
    picture = draw(record_collections(), "pauses")
    assert (picture.unit, picture.is_stacked, picture.note) == ("percent", True, "")
    assert read_lane(picture, 500.0) == {"0": 2, "1": 0, "2": 0.5}


@pytest.mark.parametrize("key", ["collections", "pauses"])
def test_collections_that_are_not_seen_are_said_to_be(key: LaneKey) -> None:
    assert not draw(record_session(1), key).note, "they may come with the next message"
    picture = draw(record_session(10), key)
    assert picture.is_empty
    assert "cannot be seen" in picture.note


def test_arenas_hold_until_they_change() -> None:
    picture = draw(record_session(10), "arenas")
    (trace,) = picture.traces
    assert trace.time.tolist() == [100, 1000]
    assert trace.value.tolist() == [8, 8]


def test_arenas_that_are_not_known_have_no_line() -> None:
    picture = draw(record_session(10, n_arenas=0), "arenas")
    assert picture.is_empty
    assert picture.note
