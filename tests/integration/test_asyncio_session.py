"""Tasks and event loops in a live session; the program imports asyncio while it is watched."""

from __future__ import annotations

import time

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach

N_WAITERS = 3
PATIENCE_S = 20.0


def wait_until_heard(target: Target, session: Session) -> None:
    """Until a task's wait has been reported: asyncio is looked for some times a second."""
    deadline = time.monotonic() + PATIENCE_S
    while not session.list_contention(ContentionKind.TASK):
        assert time.monotonic() < deadline, "asyncio was not noticed"
        target.ask("warm")
        session.wait_for_contention()


@each_python
def test_a_task_type_of_another_layout_harms_nothing(python: Python) -> None:
    """What such an object has where a task has its coroutine leads to memory that is not there."""
    with Target(python, "labels/replaced_task.py") as target:
        with Session(target.pid, hz=1000) as session:
            session.wait_for_function("burn")
            session.read_for(2.5)  # asyncio is looked for every other second
            session.wait_for_samples(100)
            session.detach()
        target.finish()


@some_pythons
def test_tasks_and_stalls_are_reported_by_stack(python: Python) -> None:
    with Target(python, "tasks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1, stall_ns=100_000_000)
            target.ask("import")
            wait_until_heard(target, session)
            answer = target.ask("hold")
            stall = target.ask("stall")
            session.wait_for_contention()
            tasks = session.list_contention(ContentionKind.TASK)
            name = "asyncio.locks.Semaphore.acquire < asyncio.locks._ContextManagerMixin.__aenter__"
            n_waits, waited_ns = tasks[f"{name} < __main__.wait_for_seat"]
            assert n_waits == N_WAITERS
            assert waited_ns == pytest.approx(answer["waited_ns"], rel=0.2)
            mutexes = session.list_contention(ContentionKind.MUTEX)
            name = "asyncio.locks.Semaphore.release < asyncio.locks._ContextManagerMixin.__aexit__"
            n_releases, held_ns = mutexes[f"{name} < __main__.hold_seat"]
            assert n_releases == 1
            assert held_ns == pytest.approx(answer["waited_ns"], rel=0.2)
            stalls = session.list_contention(ContentionKind.STALL)
            n_stalls, stalled_ns = stalls["__main__.compute < __main__.stall"]
            assert n_stalls == 1
            assert stalled_ns == pytest.approx(stall["stalled_ns"], rel=0.2)
            session.detach()
        target.finish()


@some_pythons
def test_functions_that_are_replaced_later(python: Python) -> None:
    """That waits may be missing is reported, and what can be recorded is."""
    reason = "the program has replaced asyncio.locks.Condition.wait_for"
    with Target(python, "tasks.py", has_stdin=True) as target:
        target.ask("import")
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            wait_until_heard(target, session)
            assert session.wait_for_contention().tasks_problem == ""
            target.ask("replace")
            session.wait_for_contention(lambda status: status.tasks_problem == reason)
            target.ask("hold")
            session.wait_for_contention()
            tasks = session.list_contention(ContentionKind.TASK)
            n_waits = [row[0] for stack, row in tasks.items() if "wait_for_seat" in stack]
            assert n_waits == [N_WAITERS]
            session.detach()
        target.finish()


@some_pythons
def test_who_waits_when_we_go_goes_on(python: Python) -> None:
    """Also when the rates are 0 meanwhile, and in the next session."""
    with Target(python, "tasks.py", has_stdin=True) as target:
        target.ask("import")
        for visit in ("first", "second"):
            with Session(target.pid, hz=0) as session:
                session.set_contention_rates(block_ns=1)
                wait_until_heard(target, session)
                target.ask("begin")
                if visit == "second":
                    session.set_contention_rates(block_ns=0)
                    session.set_contention_rates(block_ns=1)
                session.detach()
            assert target.ask("end")["found"] == [0, 1, "CancelledError"]
        target.finish()


@some_pythons
def test_an_end_with_tasks_that_wait(python: Python) -> None:
    """The program ends while its tasks wait, and what they had waited before is reported."""
    with Target(python, "tasks.py", has_stdin=True) as target:
        target.ask("import")
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            wait_until_heard(target, session)
            target.ask("begin")
            target.finish()
            session.wait_for_end()
            assert session.bye is not None
            assert session.bye.reason == "the program has ended"
            names = [
                stack.split(" < ")[0] for stack in session.list_contention(ContentionKind.TASK)
            ]
            assert "asyncio.locks.Lock.acquire" in names
