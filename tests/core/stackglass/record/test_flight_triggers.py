"""Triggers of a flight recorder: which messages make it write."""

from __future__ import annotations

import pytest

from stackglass.record.flight_plan import Trigger, Window
from stackglass.record.flight_triggers import (
    DeadlockTrigger,
    RssTrigger,
    WaitTriggers,
    format_bytes,
)
from stackglass.wire import reader
from stackglass.wire.messages import LockWaits
from stackglass_viewer.model.proto import wire_pb2

SECOND_NS = 10**9
BLOCK, MUTEX, STALL = 0, 1, 6
WINDOW = Window(SECOND_NS, triggers=(Trigger("wait", SECOND_NS), Trigger("stall", SECOND_NS)))


def see(triggers: WaitTriggers, ns: int, longest_ns: int, kind: int = BLOCK) -> str:
    """One wait of a bucket of its own."""
    contention = wire_pb2.Contention(
        bucket_kind=[kind],
        bucket_primitive=[0],
        bucket_lock=[0],
        bucket_node=[0],
        bucket_other_node=[0],
        bucket_labels=[0],
        bucket_other_labels=[0],
        value_bucket=[0],
        value_count=[1],
        value_total_ns=[ns],
        value_max_ns=[longest_ns],
        event_bucket=[0],
        event_tid=[1],
        event_time=[1],
        event_count=[1],
        event_ns=[ns],
    )
    frame = wire_pb2.FromEngine(contention=contention).SerializeToString()
    return triggers.see(frame, reader.decode(frame, has_events=False))


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (BLOCK, "a wait for a lock lasted 1.5 s"),
        (STALL, "a stall of an event loop lasted 1.5 s"),
        (MUTEX, ""),  # the sum of all waiters
        (1000, ""),  # of a damaged engine: no kind has this number
    ],
)
def test_a_long_wait_triggers(kind: int, cause: str) -> None:
    assert see(WaitTriggers(WINDOW), 3 * SECOND_NS // 2, 3 * SECOND_NS // 2, kind) == cause


def test_what_does_not_trigger() -> None:
    triggers = WaitTriggers(WINDOW)
    assert not see(triggers, SECOND_NS, SECOND_NS)
    # Many short ones of one unit of time, added up.
    assert not see(triggers, 5 * SECOND_NS, SECOND_NS // 2)
    # Short ones of code that has waited long before.
    assert see(triggers, 2 * SECOND_NS, 2 * SECOND_NS)
    assert not see(triggers, SECOND_NS // 2, 2 * SECOND_NS)
    assert not see(WaitTriggers(Window(SECOND_NS)), 9 * SECOND_NS, 9 * SECOND_NS)


def test_waits_that_cannot_be_seen_are_reported() -> None:
    triggers = WaitTriggers(WINDOW)
    frame = wire_pb2.FromEngine(
        contention_status=wire_pb2.ContentionStatus(problem="gevent")
    ).SerializeToString()
    triggers.see(frame, reader.decode(frame))
    assert triggers.problem == "gevent"


def look(holder_of: dict[int, int], stuck: int) -> LockWaits:
    """Threads and the holders that they wait for."""
    holders = list(holder_of.values())
    return LockWaits(tid=list(holder_of), holder_tid=holders, stuck=[stuck] * len(holders))


CYCLE = {12: 13, 13: 12, 14: 13}


@pytest.mark.parametrize(
    ("looks", "causes"),
    [
        ([look(CYCLE, 2)] * 3, ["", "a deadlock of threads 12, 13", ""]),
        ([look({7: 7}, 2)] * 2, ["", "a deadlock of thread 7"]),
        ([look(CYCLE, 1)] * 2, ["", ""]),  # not every holder is proven
        ([look(CYCLE, 0)] * 2, ["", ""]),  # its threads move
        ([look({12: 14, 13: 12}, 2), look(CYCLE, 2)], ["", ""]),  # not the same cycle
        ([look({12: 13}, 2)] * 2, ["", ""]),
    ],
)
def test_a_proven_deadlock_triggers_once(looks: list[LockWaits], causes: list[str]) -> None:
    trigger = DeadlockTrigger(Window(SECOND_NS, triggers=(Trigger("deadlock"),)))
    assert [trigger.see(each) for each in looks] == causes
    untold = DeadlockTrigger(Window(SECOND_NS))
    assert not any(untold.see(each) for each in looks)


def test_deadlocks_are_looked_for_once_a_second() -> None:
    trigger = DeadlockTrigger(Window(SECOND_NS, triggers=(Trigger("deadlock"),)))
    counts = [len(trigger.list_requests(at * SECOND_NS // 2)) for at in range(2, 7)]
    assert counts == [1, 0, 1, 0, 1]
    assert DeadlockTrigger(Window(SECOND_NS)).list_requests(9 * SECOND_NS) == []


def test_resident_memory_triggers_once_and_again_after_it_fell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = iter((10, 25, 30, 23, 30, 10, 26))
    monkeypatch.setattr(
        "stackglass.record.flight_triggers._read_rss", lambda _pid: 4096 * next(pages)
    )
    trigger = RssTrigger(1, Trigger("rss", 24 * 4096))
    fired = [bool(trigger.find_cause()) for _ in range(7)]
    assert fired == [False, True, False, False, False, False, True]


def test_sizes_in_words() -> None:
    assert [format_bytes(n) for n in (999, 1023, 64 << 20, 5 << 31)] == [
        "999 bytes",
        "1023 bytes",
        "64 MiB",
        "10 GiB",
    ]
