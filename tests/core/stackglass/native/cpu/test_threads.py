"""The list of threads, and a kernel that passes over one of them."""

from __future__ import annotations

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_a_thread_that_lives_keeps_its_slot_without_being_listed(python: Python) -> None:
    """Else it would be found as a new thread, and all its CPU time counted once more."""
    reported = run_probe(python, "sampler/passed_over.py")
    assert (reported["n_before"], reported["n_without"], reported["n_again"]) == (2, 2, 2)
    assert reported["n_after"] == 1, "a thread that has ended keeps its slot"
