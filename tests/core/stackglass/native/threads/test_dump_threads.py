"""Rows of threads in a dump of the process that takes it."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_a_dump_runs_no_code_of_a_class(python: Python) -> None:
    """Of a property in place of a thread's name, say. A slot is read as any attribute."""
    assert run_probe(python, "locks/computed_attributes.py") == {
        "calls": [],
        "names": ["slotted", True],
    }


@each_python
def test_threads_that_end_between_slices_cost_no_names(python: Python) -> None:
    """Of others, which follow them in the list of threads."""
    reported = run_probe(python, "sampler/ending_threads.py")
    assert reported["n_ended"] > 5
    assert reported["n_nameless"] == 0
