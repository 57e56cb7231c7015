"""Who keeps the GIL: C code, which the engine reports; Python code, which is asked for it."""

from __future__ import annotations

import pytest

from harness.matrix import ONE_EACH, PYTHONS, choose_pythons, each_python
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target

FIRST_THAT_HEARS = 13  # before, pending calls of other threads were noticed at the next gap only
N_TRIES = 5  # an attach may fall between two calls that keep the GIL


@pytest.mark.attach
@each_python
def test_waiting_for_the_gil_is_reported(python: Python) -> None:
    with Target(python, "c_with_gil.py") as target:
        waits_ns = []
        for _ in range(N_TRIES):
            with Session(target.pid, hz=100) as session:
                waits_ns.append(session.watch_gil_wait())
                session.wait_for_function("match_badly")
                session.detach()
            if waits_ns[-1] > 0:
                break
        assert any(waits_ns), "no Status before Ready ever reported a wait"
        target.finish()


@pytest.mark.attach
@choose_pythons(ONE_EACH, [python for python in PYTHONS if python.minor >= FIRST_THAT_HEARS])
def test_the_main_thread_hands_the_gil_over(python: Python) -> None:
    """The engine would not get it by waiting: CPython would not ask for an hour."""
    with Target(python, "heap/stingy.py") as target, Session(target.pid, hz=100) as session:
        session.wait_for_function("keep_at_it")
        session.detach()
