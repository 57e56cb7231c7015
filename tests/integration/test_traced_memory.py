"""Programs that use tracemalloc while they are profiled."""

from __future__ import annotations

import pytest

from harness.matrix import cover, each_python
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.wire import requests

N_ROUNDS = 300
N_VISITS = 15


@pytest.mark.attach
@each_python
def test_tracemalloc_may_come_and_go(python: Python) -> None:
    """Up to 3.13.1 the interpreter crashes if another thread makes its thread state while
    tracemalloc stops. The engine's thread makes one for a session, not one for each job."""
    with Target(python, "heap/traced_memory.py", has_stdin=True) as target:
        with Session(target.pid, hz=1000) as session:
            # Names are not waited for: there is new code all the time.
            session._connection.send(requests.encode_set_heap_rate(4096, True))
            assert target.ask(str(N_ROUNDS))["total"] == N_ROUNDS * 500
            session.detach()
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@cover("place", ["main", "thread"])
def test_attaching_while_tracemalloc_comes_and_goes(python: Python, place: str) -> None:
    """The engine's thread state is made at a moment when tracemalloc is off and stays off."""
    thread = "1" if place == "thread" else ""
    with Target(python, "heap/traced_rounds.py", THREAD=thread) as target:
        for _ in range(N_VISITS):
            with Session(target.pid) as session:
                assert session.ready
                session.detach()
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@each_python
def test_one_thread_state_for_a_session(python: Python) -> None:
    """However many jobs the engine's thread does. The numbers of thread states are consecutive."""
    with Target(python, "thread_states.py", has_stdin=True) as target:
        first = target.ask()["number"]
        assert target.ask()["number"] == first + 1
        with Session(target.pid, hz=100) as session:
            session.set_heap_rate(4096)
            session.take_census()
            session.set_contention_rates(fraction=10)
            session.take_lock_waits()
            session.take_census()
            between = target.ask()["number"]
            session.detach()
            session.wait_for_end()
        assert between == first + 3  # one is the engine's
        assert target.ask()["number"] == between + 1
        target.finish()
