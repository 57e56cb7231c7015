"""Waits in the lanes: locks, the GIL, awaits and stalls, as the lock profiles recorded them."""

from __future__ import annotations

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.slices import AWAIT, CALL, GIL, LOCK, STALL
from stackglass_viewer.model.memory_trace.waits import list_waits
from stackglass_viewer.model.proto import wire_pb2

MS = 1_000_000
MAIN, WORKER = 7, 8
STRINGS = ["", "task", "a", "b", "Lock", "Lock.acquire", "app.LOCK", "event loop", "time.sleep"]
Event = tuple[int, int, int, int, int]  # bucket, thread, unit, count, ms


def list_of(
    buckets: list[tuple[ContentionKind, int, int, int]], events: list[Event]
) -> list[tuple[object, ...]]:
    """Slices in ms. Buckets: kind, primitive, lock, label set."""
    live = LiveProfile(connected_mono_ns=0)
    batch = wire_pb2.Batch(
        strings=STRINGS,
        node_parent=[0],
        node_location=[0],
        label_set=[1, 2],
        label_key=[1, 1],
        label_value=[2, 3],
    )
    live.apply(wire_pb2.FromEngine(batch=batch))
    n = len(buckets)
    contention = wire_pb2.Contention(
        lock_primitive=[0, 4],
        lock_address=[0, 0x1000],
        named_lock=[1],
        named_name=[6],
        named_site=[0],
        named_wait=[0],
        bucket_kind=[bucket[0] for bucket in buckets],
        bucket_primitive=[bucket[1] for bucket in buckets],
        bucket_lock=[bucket[2] for bucket in buckets],
        bucket_node=[0] * n,
        bucket_other_node=[0] * n,
        bucket_labels=[bucket[3] for bucket in buckets],
        bucket_other_labels=[0] * n,
        event_bucket=[event[0] for event in events],
        event_tid=[event[1] for event in events],
        event_time=[event[2] for event in events],
        event_count=[event[3] for event in events],
        event_ns=[event[4] * MS for event in events],
    )
    live.apply(wire_pb2.FromEngine(contention=contention))
    return [
        (each.tid, each.begin_ns // MS, each.end_ns // MS, each.category, each.name)
        for each in list_waits(live)
    ]


def test_each_kind_has_a_lane_and_a_name() -> None:
    buckets = [
        (ContentionKind.BLOCK, 5, 1, 0),
        (ContentionKind.GIL, 0, 0, 0),
        (ContentionKind.OTHER, 8, 0, 0),
        (ContentionKind.TASK, 5, 1, 1),
        (ContentionKind.STALL, 7, 0, 0),
        (ContentionKind.MUTEX, 5, 1, 0),  # of the holder: its waiters have their lanes
        (ContentionKind.IDLE, 5, 0, 0),
    ]
    found = list_of(buckets, [(bucket, MAIN, 29, 1, 100) for bucket in range(len(buckets))])
    assert found == [
        (MAIN, 200, 300, LOCK, "app.LOCK"),
        (MAIN, 200, 300, GIL, "held while others wait"),
        (MAIN, 200, 300, CALL, "time.sleep"),
        (MAIN, 200, 300, AWAIT, "a: app.LOCK"),
        (MAIN, 200, 300, STALL, "event loop"),
    ]


def test_a_thread_waits_for_one_thing_at_a_time() -> None:
    """Ends are known to 10 ms: the second wait began as the first had ended."""
    buckets = [(ContentionKind.BLOCK, 5, 1, 0), (ContentionKind.BLOCK, 5, 0, 0)]
    events = [(0, MAIN, 9, 1, 50), (1, MAIN, 14, 1, 55), (0, WORKER, 14, 1, 55)]
    assert [each[:3] for each in list_of(buckets, events)] == [
        (MAIN, 50, 100),
        (MAIN, 100, 150),
        (WORKER, 95, 150),
    ]


def test_tasks_wait_beside_each_other() -> None:
    buckets = [(ContentionKind.TASK, 5, 1, 1), (ContentionKind.TASK, 5, 1, 2)]
    events = [(0, MAIN, 29, 1, 200), (1, MAIN, 34, 1, 300), (0, MAIN, 34, 1, 90)]
    assert [each[1:3] + each[4:] for each in list_of(buckets, events)] == [
        (100, 300, "a: app.LOCK"),
        (300, 350, "a: app.LOCK"),
        (50, 350, "b: app.LOCK"),
    ]


def test_a_sum_of_waits_is_as_long_as_one_of_them() -> None:
    """Three of 100 ms that ended together; many short ones are their sum, if that is short."""
    buckets = [(ContentionKind.TASK, 5, 1, 1), (ContentionKind.BLOCK, 5, 1, 0)]
    found = list_of(buckets, [(0, MAIN, 29, 3, 300), (1, MAIN, 29, 4, 8)])
    assert [each[1:3] for each in found] == [(200, 300), (292, 300)]


def test_what_lasted_no_time_has_no_slice() -> None:
    assert list_of([(ContentionKind.BLOCK, 5, 1, 0)], [(0, MAIN, 29, 0, 0)]) == []
