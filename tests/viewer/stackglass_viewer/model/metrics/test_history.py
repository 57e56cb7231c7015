"""Messages about metrics, kept over time."""

from __future__ import annotations

import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.metrics.history import MetricsHistory
from stackglass_viewer.model.proto.wire_pb2 import ContentionStatus, Metrics, Ready

S = 1_000_000_000
START_NS = 50 * S


@pytest.fixture
def history() -> MetricsHistory:
    made = MetricsHistory()
    made.start(Ready(time_mono_ns=START_NS))
    return made


def describe(second: int, n_arenas: int = 4, task_second: int = 0) -> Metrics:
    """A thread that runs, and two tasks that are suspended."""
    return Metrics(
        time_mono_ns=START_NS + second * S,
        n_looks=second * 10,
        thread_ns=[0, second * S, 0, 0, 0],
        task_time_mono_ns=START_NS + task_second * S if task_second else 0,
        task_ns=[0, 0, 2 * task_second * S],
        are_tasks_whole=1,
        run_queue_ns=second * 1000,
        n_turns=second * 10,
        n_arenas=n_arenas,
    )


def test_nothing_is_known_before_the_first(history: MetricsHistory) -> None:
    record = history.capture()
    assert (record.first, record.now, record.are_tasks_whole) == (None, 0, True)


def test_times_count_from_the_start_of_the_session(history: MetricsHistory) -> None:
    history.add(describe(1))
    history.add(describe(3, task_second=2))
    record = history.capture()
    assert (record.first, record.now) == (100, 300)
    assert record.threads.values[1].tolist() == [S, 3 * S]
    assert record.tasks.time_ns.tolist() == [2 * S]
    assert record.queue.values[1].tolist() == [10, 30]


def test_arenas_are_kept_where_they_change(history: MetricsHistory) -> None:
    for second, n in enumerate((0, 4, 4, 5), 1):
        history.add(describe(second, n_arenas=n))
    record = history.capture()
    assert record.arena_time_ns.tolist() == [S, 2 * S, 4 * S]
    assert record.n_arenas.tolist() == [-1, 3, 4]


def test_collections_count_once_they_are_seen(history: MetricsHistory) -> None:
    history.add(describe(1))
    assert not len(history.capture().collector.time_ns)
    message = describe(2)
    message.n_collections.extend([30, 2, 1])
    message.paused_ns.extend([3000, 2000, 1000])
    history.add(message)
    collector = history.capture().collector
    assert collector.time_ns.tolist() == [2 * S]
    assert [column.tolist() for column in collector.values] == [
        [30],
        [2],
        [1],
        [3000],
        [2000],
        [1000],
    ]


def test_lock_waits_count_once_they_are_hooked(history: MetricsHistory) -> None:
    history.add_contention(ContentionStatus(time_mono_ns=START_NS + S, lock_waited_ns=7))
    assert not len(history.capture().locks.time_ns)
    status = ContentionStatus(
        time_mono_ns=START_NS + 2 * S,
        start_mono_ns=START_NS + S,
        lock_waited_ns=7,
        lock_sampled_ns=5,
    )
    history.add_contention(status)
    locks = history.capture().locks
    assert [column.tolist() for column in locks.values] == [[7], [5]]
    assert history.capture().first == 200


@pytest.mark.parametrize(
    "broken",
    [
        {"thread_ns": [1, 2]},
        {"task_ns": [1, 2, 3, 4]},
        {"thread_ns": [2**63, 0, 0, 0, 0]},
        {"n_turns": 2**63},
        {"n_arenas": 2**64 - 1},
        {"n_collections": [1, 2]},
        {"n_collections": [1, 2, 3], "paused_ns": [1, 2]},
        {"n_collections": [1, 2, 3], "paused_ns": [1, 2, 2**63]},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(history: MetricsHistory, broken: dict[str, object]) -> None:
    message = describe(1)
    for name, value in broken.items():
        message.ClearField(name)
        if isinstance(value, list):
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)
    with pytest.raises(WireError):
        history.add(message)
    assert history.capture().first is None
