"""A program that hung before the attach: waiters and holders are reported all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.matrix import each_python
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.wire import messages

pytestmark = pytest.mark.attach

N_WAITING = 2 + 2 + 3 + 1 + 2


def read_sleep(pid: int, tid: int) -> str:
    """What a thread sleeps on: the call, its arguments, where its stack ends."""
    return Path(f"/proc/{pid}/task/{tid}/syscall").read_text()


def take_waits(session: Session, tids: set[int]) -> messages.LockWaits:
    """Once all threads that are expected to wait are reported; names of locks come later."""
    waits = session.take_lock_waits()
    while not tids <= set(waits.tid):
        waits = session.take_lock_waits()
    return waits


@each_python
def test_a_deadlock_of_before_the_attach(python: Python) -> None:
    with Target(python, "deadlocked.py", has_stdin=True) as target:
        tids: dict[str, list[int]] = target.ready["tids"]
        keeper, *at_door = tids["crowd"]
        waiting = {tid for each in tids.values() for tid in each} - {keeper}
        assert len(waiting) == N_WAITING
        before = {tid: read_sleep(target.pid, tid) for tid in waiting}
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(fraction=10)
            waits = take_waits(session, waiting)
            holder_of = dict(zip(waits.tid, waits.holder_tid, strict=True))
            inside = dict(zip(waits.tid, waits.holder_inside, strict=True))
            since = dict(zip(waits.tid, waits.since_mono_ns, strict=True))
            for name in ("plain", "recursive", "ring", "itself"):
                ring = tids[name]
                for place, tid in enumerate(ring):
                    assert holder_of[tid] == ring[(place + 1) % len(ring)], name
            assert {holder_of[tid] for tid in at_door} == {keeper}
            assert {inside[tid] for tid in waiting - set(tids["recursive"])} == {1}
            assert {inside[tid] for tid in tids["recursive"]} == {0}  # it says so itself
            assert {since[tid] for tid in waiting} == {0}
            assert holder_of.get(keeper, 0) == 0  # it waits for a bell, if that is reported
            calls = dict(zip(waits.tid, waits.primitive, strict=True))
            names = {session.stacks.find_string(calls[tid]) for tid in waiting}
            assert names == {"Lock.__enter__", "RLock.__enter__"}
            nodes = dict(zip(waits.tid, waits.node, strict=True))
            assert session.stacks.find_stack(nodes[tids["plain"][0]])[-1] == "__main__.cross"

            # They go on, and are reported no longer.
            assert {tid: read_sleep(target.pid, tid) for tid in waiting} == before
            through = target.ask("free")["through"]
            assert through == sorted(
                name for name in tids if name != "recursive" for _ in tids[name]
            )
            waits = session.take_lock_waits()
            assert set(waits.tid) == set(tids["recursive"])
            session.detach()
        assert target.ask()["word"] == "?"
        target.finish()


@each_python
def test_a_deadlock_is_left_as_it_was(python: Python) -> None:
    """Attached, looked at, detached: all sleep on where they slept, and go on when they are let."""
    with Target(python, "deadlocked.py", has_stdin=True) as target:
        tids: dict[str, list[int]] = target.ready["tids"]
        everybody = {tid for each in tids.values() for tid in each}
        before = {tid: read_sleep(target.pid, tid) for tid in everybody}
        for _ in range(2):  # the second session finds what the first has found
            with Session(target.pid, hz=0) as session:
                session.set_contention_rates(fraction=10)
                waits = take_waits(session, everybody - {tids["crowd"][0]})
                assert waits.tid.count(tids["itself"][0]) == 1
                session.detach()
        assert {tid: read_sleep(target.pid, tid) for tid in everybody} == before
        assert len(target.ask("free")["through"]) == len(everybody) - len(tids["recursive"])
        target.finish()


STUCK_MAYBE, DEADLOCKED = 1, 2


def take_stuck(session: Session, tids: dict[str, list[int]]) -> dict[str, set[int]]:
    """What is said of each kind's threads, once all wait and the deadlock has been seen; it was
    there before, or it is asked again."""
    everybody = {tid for each in tids.values() for tid in each}
    while True:
        waits = take_waits(session, everybody)
        stuck = dict(zip(waits.tid, waits.stuck, strict=True))
        if {stuck[tid] for tid in tids["blocks"]} == {DEADLOCKED}:
            return {name: {stuck[tid] for tid in each} for name, each in tids.items()}


@each_python
def test_a_cycle_that_is_not_proven_is_no_deadlock(python: Python) -> None:
    """A wait that ends by itself, a lock that any thread may release, a lock that is a signal: of
    before the attach, and since."""
    with Target(python, "lock_cycles.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(fraction=10)
            # Their holders are unknown: nothing shows which thread has taken what by hand.
            before = take_stuck(session, target.ready["tids"])
            nothing: dict[str, set[int]] = {
                name: {0} for name in ("timed", "taken", "signal", "twice")
            }
            assert before == {**nothing, "blocks": {DEADLOCKED}}
            later = target.ask("again")["tids"]
            since = take_stuck(session, later)
            assert since == {
                **nothing,
                "blocks": {DEADLOCKED},
                "taken": {STUCK_MAYBE},
                "twice": {DEADLOCKED},  # the hooks have seen that it has not released it
            }
            waits = session.lock_waits
            assert waits is not None
            taken = dict(zip(waits.tid, waits.holder_taken, strict=True))
            assert [taken[tid] for each in later.values() for tid in each] == [1] * 8
            holder_of = dict(zip(waits.tid, waits.holder_tid, strict=True))
            (own,) = later["signal"]
            assert holder_of[own] == own
            session.detach()
        target.finish()
