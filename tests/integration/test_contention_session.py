"""Contention in a live session: what clients receive, late clients, waiters and holders.

The program measures its waits itself, under locks that it made before anybody came.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach

N_WAITERS = 5
N_ITEMS = 10
STEP_ROWS = 1 << 14  # that a late client receives at once
MS = 10**6


def find(rows: dict[str, tuple[int, int]], start: str) -> tuple[int, int]:
    """Contentions and ns of all stacks that start so, leaf first."""
    found = [row for stack, row in rows.items() if stack.startswith(start)]
    return sum(row[0] for row in found), sum(row[1] for row in found)


def check_hold(session: Session, answer: dict[str, Any]) -> None:
    """Checklist 59, 70, 72: five waits, by who waited and by who held."""
    blocks = session.list_contention(ContentionKind.BLOCK)
    waiting = "_thread.lock.acquire < __main__.Waits.take < __main__.wait_for_cache < "
    n_waits, waited_ns = find(blocks, waiting)
    assert n_waits == N_WAITERS
    assert waited_ns == pytest.approx(answer["waited_ns"], rel=0.1)
    mutexes = session.list_contention(ContentionKind.MUTEX)
    n_releases, held_ns = find(mutexes, "_thread.lock.__exit__ < __main__.hold_cache < ")
    assert n_releases == 1
    assert held_ns == pytest.approx(answer["held_ns"], rel=0.1)
    pairs = session.list_contention(ContentionKind.PAIR)
    assert find(pairs, "_thread.lock.__exit__ < __main__.hold_cache < ") == (N_WAITERS, held_ns)


def sum_events(session: Session) -> Counter[int]:
    """ns by bucket."""
    sums: Counter[int] = Counter()
    for reported in session.contention_messages:
        for bucket, delay_ns in zip(reported.event_bucket, reported.event_ns, strict=True):
            sums[bucket] += delay_ns
    return sums


def gather(session: Session, *names: str) -> list[tuple[int, ...]]:
    """All rows of these columns that have been received."""
    return [
        row
        for reported in session.contention_messages
        for row in zip(*(getattr(reported, name) for name in names), strict=True)
    ]


def wait_for_names(session: Session, wanted: set[str]) -> set[str]:
    """Until these are among the names of locks; those that are."""
    names: set[str] = set()
    deadline = time.monotonic() + PATIENCE_S
    while names != wanted and time.monotonic() < deadline:
        session.read_for(0.1)
        found = {session.stacks.find_string(row[0]) for row in gather(session, "named_name")}
        names = found & wanted
    return names


def check_details(session: Session, answer: dict[str, Any]) -> None:
    """Every bucket's events, delays and longest wait agree with its sums; locks have a type."""
    status = session.contention.status
    assert status is not None
    assert (status.n_lost, status.n_lost_events) == (0, 0)
    counts = {bucket: n for bucket, n in gather(session, "value_bucket", "value_count")}
    totals = {bucket: ns for bucket, ns in gather(session, "value_bucket", "value_total_ns")}
    longest = {bucket: ns for bucket, ns in gather(session, "value_bucket", "value_max_ns")}
    delays: dict[tuple[int, int], int] = {}
    for bucket, log2, n in gather(session, "delay_bucket", "delay_log2", "delay_count"):
        delays[bucket, log2] = n
    assert sum_events(session) == totals
    for bucket, n in counts.items():
        sizes = {log2: delays[of, log2] for of, log2 in delays if of == bucket}
        assert sum(sizes.values()) == n
        assert 1 << max(sizes) <= longest[bucket] < 2 << max(sizes)
        assert longest[bucket] <= totals[bucket] <= n * longest[bucket]
    locks = [session.stacks.find_string(row[0]) for row in gather(session, "lock_primitive")]
    assert locks[0] == ""
    assert {"Lock", "RLock"} <= set(locks)
    tids = {tid for (tid,) in gather(session, "event_tid")}
    assert {*answer["tids"], answer["holder"]} <= tids
    assert answer["holder"] in session.stacks.thread_names


@pytest.mark.checklist(59, 65, 66, 67, 70, 72)
@some_pythons
def test_what_was_waited_is_reported_by_both_ends(python: Python) -> None:
    """Checklist 59, 65-67, 70, 72; and a late client receives the same."""
    with Target(python, "contended.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            answer = target.ask("hold")
            rlock, queue, event = (target.ask(word) for word in ("rlock", "queue", "event"))
            session.wait_for_contention()
            check_hold(session, answer)
            check_details(session, answer)
            blocks = session.list_contention(ContentionKind.BLOCK)
            n_waits, waited_ns = find(blocks, "_thread.RLock.acquire < __main__.Waits.take < ")
            assert n_waits == 1
            assert waited_ns == pytest.approx(rlock["waited_ns"], rel=0.2)
            n_gets, got_ns = find(blocks, "queue.Queue.get < __main__.consume")
            assert 1 <= n_gets <= N_ITEMS  # one event each, if it had to wait at all
            assert N_ITEMS * 5 * MS < got_ns <= queue["lasted_ns"]
            _, waited_ns = find(blocks, "threading.Event.wait < __main__.wait_in_vain")
            assert waited_ns == pytest.approx(event["waited_ns"], rel=0.2)
            mutexes = session.list_contention(ContentionKind.MUTEX)
            assert find(mutexes, "_thread.RLock.__exit__ < __main__.hold_tree < ")[0] == 1
            assert find(mutexes, "queue.Queue.put")[1] < got_ns / 2  # waking is no holding up
            names = {f"__main__.{name}" for name in ("CACHE_LOCK", "TREE_LOCK", "STAGE", "NEVER")}
            assert wait_for_names(session, names) == names
            with Session(target.pid, hz=0) as late:
                late.wait_for_contention()
                assert wait_for_names(late, names) == names
                for kind in ContentionKind:
                    assert late.list_contention(kind) == session.list_contention(kind)
                assert gather(late, "lock_address") == gather(session, "lock_address")
            session.detach()
        target.finish()


@pytest.mark.checklist(62, 73)
@some_pythons
def test_rates_act_at_once_and_sums_stay(python: Python) -> None:
    """Checklist 62, 73: at 0 nothing more is reported, nothing is forgotten; each by itself."""
    with Target(python, "contended.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            assert session.ready
            session.read_for(0.3)
            assert session.contention.status is None  # not requested yet
            session.set_contention_rates(block_ns=1)
            first = target.ask("hold")
            session.wait_for_contention()
            assert session.list_contention(ContentionKind.MUTEX) == {}
            session.set_contention_rates(fraction=1)
            session.set_contention_rates(block_ns=0)
            assert session.rates is not None
            assert (session.rates.block_rate_ns, session.rates.mutex_fraction) == (0, 1)
            answer = target.ask("hold")
            session.wait_for_contention()
            blocks = session.list_contention(ContentionKind.BLOCK)
            _, waited_ns = find(blocks, "_thread.lock.acquire < __main__.Waits.take < ")
            assert waited_ns == pytest.approx(first["waited_ns"], rel=0.1)
            mutexes = session.list_contention(ContentionKind.MUTEX)
            _, held_ns = find(mutexes, "_thread.lock.__exit__ < __main__.hold_cache < ")
            assert held_ns == pytest.approx(answer["held_ns"], rel=0.1)
            session.detach()
        # A session of its own: it knows nothing of the other.
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=10_000, fraction=1)
            check_hold_again = target.ask("hold")
            session.wait_for_contention()
            check_hold(session, check_hold_again)
            session.detach()
        target.finish()


@some_pythons
def test_a_deadlock_is_a_cycle(python: Python) -> None:
    """Waiters and their holders, where both stand; and leaving does not disturb the waiters."""
    with Target(python, "contended.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(fraction=10)
            assert session.take_lock_waits().tid == []
            left, right = target.ask("deadlock")["tids"]
            waits = session.take_lock_waits()
            while len(waits.tid) < 2 or 0 in waits.holder_tid:  # one may still be at the barrier
                waits = session.take_lock_waits()
            holders = dict(zip(waits.tid, waits.holder_tid, strict=True))
            assert holders == {left: right, right: left}
            assert len(set(waits.lock)) == 2
            names = {session.stacks.find_string(text) for text in waits.primitive}
            assert names == {"Lock.__enter__"}
            for node in (*waits.node, *waits.holder_node):
                assert session.stacks.find_stack(node)[-1] == "__main__.cross"
            assert all(0 < since <= waits.time_mono_ns for since in waits.since_mono_ns)
            reported = {lock for (lock,) in gather(session, "lock_address")}
            assert len(reported) >= 3  # none, and the two
            session.detach()
        assert target.ask()["word"] == "?"
        target.finish()


@some_pythons
def test_an_end_with_threads_that_wait(python: Python) -> None:
    """The program ends while two of its threads wait in our hands, and it is not noticed."""
    with (
        Target(python, "contended.py", has_stdin=True) as target,
        Session(target.pid, hz=0) as session,
    ):
        session.set_contention_rates(block_ns=1, fraction=1)
        answer = target.ask("hold")
        target.ask("deadlock")
        target.finish()
        session.wait_for_end()
        assert session.bye is not None
        assert session.bye.reason == "the program has ended"
        check_hold(session, answer)


def gather_last(
    session: Session, n_keys: int, *names: str
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """The latest row for each value of the first columns."""
    return {row[:n_keys]: row[n_keys:] for row in gather(session, *names)}


@some_pythons
def test_who_comes_late_to_very_many_buckets(python: Python) -> None:
    """More than are sent in one step; and they change while they are sent."""
    with Target(python, "many_stacks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1)
            n_stacks = target.ask("all")["n"]
            session.wait_for_contention(lambda status: status.n_events >= n_stacks)
            assert len(gather(session, "bucket_node")) > 2 * STEP_ROWS - 100
            target.ask("begin")
            with Session(target.pid, hz=0) as late, session.reading_in_background():
                late.wait_for_contention()
                first = late.contention_messages[0]
                assert 0 < len(first.bucket_node) <= STEP_ROWS
                late.read_for(0.5)
                target.ask("end")
                late.wait_for_contention()
            with Session(target.pid, hz=0) as later:  # while nothing happens
                later.wait_for_contention()
                session.wait_for_contention()
                for other in (late, later):
                    check_same(session, other)
            session.detach()
        target.finish()


def check_same(session: Session, other: Session) -> None:
    """Definitions and sums, whenever they were sent."""
    for columns in (
        "lock_primitive lock_address",
        "bucket_kind bucket_primitive bucket_lock bucket_node bucket_other_node",
    ):
        names = columns.split()
        assert gather(other, *names) == gather(session, *names)
    for n_keys, columns in (
        (1, "value_bucket value_count value_total_ns value_max_ns"),
        (2, "delay_bucket delay_log2 delay_count"),
        (1, "named_lock named_name"),
    ):
        names = columns.split()
        assert gather_last(other, n_keys, *names) == gather_last(session, n_keys, *names)
