"""Waiters and holders now."""

from __future__ import annotations

import pytest

from harness.contention_talk import MAIN, N_STRINGS, OTHER, WORKER, ContentionTalk, S
from stackglass.errors import WireError
from stackglass_viewer.model.contention.lock_waits import WaitsTable
from stackglass_viewer.model.proto.wire_pb2 import Batch, Contention, FromEngine, LockWaits


def build(
    *rows: tuple[int, int, float | None, int],
    inside: tuple[int, ...] = (),
    taken: tuple[int, ...] = (),
    stuck: tuple[int, ...] = (),
) -> WaitsTable:
    talk = ContentionTalk()
    talk.waits(10, *rows, inside=inside, taken=taken, stuck=stuck)
    table = talk.live.list_waits()
    assert table is not None
    return table


def test_before_any_request() -> None:
    assert ContentionTalk().live.list_waits() is None


def test_waiters_stand_below_who_holds_them_up() -> None:
    table = build((WORKER, 1, 7.5, MAIN), (OTHER, 2, 9.0, WORKER))
    assert [(row.name, row.depth, row.waited_ns) for row in table.rows] == [
        ("MainThread", 0, -1),
        ("worker", 1, 5 * S // 2),
        (f"thread {OTHER}", 2, S),
    ]
    top, waiter, _ = table.rows
    assert (waiter.lock, waiter.holder, waiter.call) == ("m.LOCK", "MainThread", "Lock.acquire")
    assert waiter.where == ("m.take", "m.py", 31)
    assert (top.where, top.lock, top.holder) == (("m.give", "m.py", 7), "", "")
    assert [line.function for line in table.list_stack(1)] == ["_thread.lock.acquire", "m.take"]
    assert (table.cycles, table.n_waiting) == ((), 2)


def test_a_cycle_is_named() -> None:
    table = build((MAIN, 1, 1, WORKER), (WORKER, 2, 2, MAIN), (OTHER, 2, 3, MAIN), stuck=(2, 2, 0))
    assert table.cycles == (
        "MainThread waits for m.LOCK, which worker holds; "
        "worker waits for Lock 0x2000, which MainThread holds",
    )
    assert [(row.tid, row.is_in_cycle) for row in table.rows] == [
        (MAIN, True),
        (OTHER, False),
        (WORKER, True),
    ]


def test_two_locks_of_one_name_are_distinguished() -> None:
    talk = ContentionTalk()
    talk.live.apply(
        FromEngine(contention=Contention(named_lock=[2], named_name=[9], named_site=[10]))
    )
    talk.waits(10, (MAIN, 1, 1, WORKER), (WORKER, 2, 2, MAIN), stuck=(2, 2))
    table = talk.live.list_waits()
    assert table is not None
    assert [row.lock for row in table.rows] == ["m.LOCK 0x1000", "m.LOCK 0x2000"]
    assert table.cycles == (
        "MainThread waits for m.LOCK 0x1000, which worker holds; "
        "worker waits for m.LOCK 0x2000, which MainThread holds",
    )


def test_a_lock_that_is_not_reentrant() -> None:
    table = build((MAIN, 1, 1, MAIN), stuck=(2,))
    assert table.cycles == ("MainThread waits for m.LOCK, which it holds itself",)


def test_a_cycle_of_before_the_attach() -> None:
    """No duration is made up, and how a holder is known is said where it is not plainly known."""
    table = build((MAIN, 1, None, WORKER), (WORKER, 2, 2, MAIN), inside=(1, 0), stuck=(2, 2))
    assert table.cycles == (
        "MainThread waits for m.LOCK, which worker holds (inside its with); "
        "worker waits for Lock 0x2000, which MainThread holds",
    )
    assert [(row.is_waiting, row.waited_ns, row.is_holder_inside) for row in table.rows] == [
        (True, -1, True),
        (True, 8 * S, False),
    ]
    alone = build((MAIN, 1, None, MAIN), inside=(1,), stuck=(2,))
    assert alone.cycles == ("MainThread waits for m.LOCK, which it holds itself (inside its with)",)


def test_a_cycle_of_one_moment_is_no_deadlock() -> None:
    rows = ((MAIN, 1, 1, WORKER), (WORKER, 2, 2, MAIN))
    table = build(*rows)
    assert (table.cycles, table.possible) == ((), ())
    assert [row.is_in_cycle for row in table.rows] == [False, False]
    table = build(*rows, taken=(0, 1), stuck=(2, 1))
    assert table.cycles == ()
    assert table.possible == (
        "MainThread waits for m.LOCK, which worker holds; "
        "worker waits for Lock 0x2000, which MainThread holds (took it last)",
    )
    assert [row.is_in_cycle for row in table.rows] == [False, False]


def test_an_unknown_holder_is_not_guessed() -> None:
    (row,) = build((MAIN, 0, 1, 0)).rows
    assert (row.holder, row.lock, row.is_in_cycle) == ("", "", False)
    assert row.may_be_held


def test_a_queue_has_no_holder() -> None:
    talk = ContentionTalk()
    queue = Contention(lock_primitive=[N_STRINGS], lock_address=[0x3000])
    talk.live.apply(FromEngine(batch=Batch(strings=["Queue"])))
    talk.live.apply(FromEngine(contention=queue))
    talk.waits(10, (WORKER, 3, 7.5, 0), (OTHER, 2, 7.5, 0))
    table = talk.live.list_waits()
    assert table is not None
    assert [(row.lock, row.may_be_held) for row in table.rows] == [
        ("Queue 0x3000", False),
        ("Lock 0x2000", True),
    ]


@pytest.mark.parametrize(
    "waits",
    [
        LockWaits(tid=[1]),
        LockWaits(
            tid=[1],
            lock=[0],
            primitive=[99],
            since_mono_ns=[0],
            holder_tid=[0],
            node=[0],
            holder_node=[0],
        ),
        LockWaits(
            tid=[1],
            lock=[0],
            primitive=[0],
            since_mono_ns=[0],
            holder_tid=[0],
            node=[99],
            holder_node=[0],
        ),
        LockWaits(
            tid=[1],
            lock=[0],
            primitive=[0],
            since_mono_ns=[0],
            holder_tid=[0],
            node=[0],
            holder_node=[0],
            holder_inside=[0, 0],
        ),
    ],
)
def test_what_makes_no_sense_is_refused(waits: LockWaits) -> None:
    with pytest.raises(WireError):
        ContentionTalk().live.apply(FromEngine(lock_waits=waits))


def test_a_deadlock_of_threads_with_odd_names_is_one_line() -> None:
    talk = ContentionTalk()
    names = Batch(strings=["a\nb\u202e"], thread_tid=[MAIN], thread_name=[N_STRINGS])
    talk.live.apply(FromEngine(batch=names))
    talk.waits(10, (MAIN, 1, 1, WORKER), (WORKER, 2, 2, MAIN), stuck=(2, 2))
    table = talk.live.list_waits()
    assert table is not None
    (cycle,) = table.cycles
    assert cycle.startswith("a\ufffdb\ufffd waits for ")
    assert cycle.isprintable()
