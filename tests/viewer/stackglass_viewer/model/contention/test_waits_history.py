"""The engine's answers about waiting threads, at any moment of a session."""

from __future__ import annotations

import pytest

from harness.contention_talk import MAIN, OTHER, START_NS, WORKER, ContentionTalk, S
from stackglass.errors import WireError
from stackglass_viewer.model.contention.waits_history import WaitsHistory
from stackglass_viewer.model.proto.wire_pb2 import LockWaits


def make_answer(seconds: float) -> LockWaits:
    return LockWaits(
        time_mono_ns=START_NS + round(seconds * S),
        tid=[1],
        lock=[0],
        primitive=[0],
        since_mono_ns=[0],
        holder_tid=[0],
        node=[0],
        holder_node=[0],
    )


def find(history: WaitsHistory, until: int | None) -> float | None:
    """Seconds since the start."""
    found = history.find(until, START_NS)
    return None if found is None else (found.time_mono_ns - START_NS) / S


def test_the_last_answer_up_to_a_moment() -> None:
    history = WaitsHistory()
    assert find(history, None) is None
    for seconds in (1, 2.505, 7):
        history.add(make_answer(seconds), 1, 1)
    assert [find(history, until) for until in (99, 100, 249, 250, 699, 5000, None)] == [
        None, 1, 1, 2.505, 2.505, 7, 7,
    ]  # fmt: skip


def test_a_session_of_any_length_takes_so_much_memory() -> None:
    size = len(make_answer(1000).SerializeToString())
    history = WaitsHistory(most_bytes=10 * size)
    for second in range(1, 1001):
        history.add(make_answer(second), 1, 1)
        assert len(history) <= 10
        assert find(history, None) == second
    firsts = [find(history, until * 100) for until in (250, 500, 750)]
    assert all(
        first is not None and until - 250 <= first <= until
        for first, until in zip(firsts, (250, 500, 750), strict=True)
    )


def test_an_answer_that_is_too_large_stays_until_the_next() -> None:
    history = WaitsHistory(most_bytes=1)
    history.add(make_answer(1), 1, 1)
    history.add(make_answer(2), 1, 1)
    assert (len(history), find(history, None), find(history, 150)) == (1, 2, None)


def test_time_never_falls() -> None:
    """Also of a damaged file: the search rests on it."""
    history = WaitsHistory()
    for seconds in (5, 1, 6):
        history.add(make_answer(seconds), 1, 1)
    assert find(history, 500) == 1
    assert find(history, 400) is None


def test_an_answer_about_nothing_known_is_refused() -> None:
    with pytest.raises(WireError):
        WaitsHistory().add(LockWaits(tid=[1]), 1, 1)


def test_a_moment_of_a_session() -> None:
    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    talk.waits(20, (WORKER, 1, 7.5, MAIN), (OTHER, 1, 12, MAIN))
    tables = [talk.live.list_waits(until=until) for until in (1500, 2000)] + [
        talk.live.list_waits()
    ]
    assert [(table.at_ns, table.n_waiting) if table is not None else None for table in tables] == [
        (10 * S, 1),
        (20 * S, 2),
        (20 * S, 2),
    ]
    assert talk.live.list_waits(until=900) is None
