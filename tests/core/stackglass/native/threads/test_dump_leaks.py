"""The search for leaks at the end of a dump that takes several slices."""

from __future__ import annotations

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_a_task_that_has_ended_is_not_leaked(python: Python) -> None:
    """Its address may be a leaked task's by then. What it was called says that it is another."""
    reported = run_probe(python, "locks/reused_tasks.py")
    assert reported["n_reused"] > 0
    assert reported["n_leaked"] > 0
    assert reported["n_kept"] == 0
