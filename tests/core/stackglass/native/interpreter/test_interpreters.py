"""Walks over the lists of interpreters and threads."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_walks_over_a_list_that_has_become_a_circle_end(python: Python) -> None:
    """Another interpreter's list may change while it is read."""
    reported = run_probe(python, "interpreters/circle.py")
    assert 1 <= reported.pop("n_samples") <= 1 + 4096
    assert reported == {"n_dumped": 1, "before": 1, "n_waiting": 0}


@each_python
def test_thread_states_of_another_interpreter_are_never_read_in_place(python: Python) -> None:
    """Its threads may free them between a look whether they are there and the read."""
    assert run_probe(python, "interpreters/unreadable.py") == {"n_samples": 1}
