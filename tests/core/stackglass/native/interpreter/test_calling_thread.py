"""Whether the calling thread holds the GIL, and its thread state."""

from __future__ import annotations

from harness.matrix import ONE_EACH, PYTHONS, choose_pythons
from harness.probes import run_probe
from harness.pythons import Python

_OLD = [python for python in PYTHONS if python.minor <= 11]


@choose_pythons([python for python in ONE_EACH if python.minor <= 11], _OLD)
def test_the_state_of_another_thread_may_be_freed_at_any_moment(python: Python) -> None:
    """Up to 3.11 the current thread state is that of whichever thread has the GIL."""
    assert run_probe(python, "gil/freed.py") == {"refusal": None, "has_gil": False}
