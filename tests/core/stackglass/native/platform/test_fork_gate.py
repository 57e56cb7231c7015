"""The gate between forks of the program and the engine's threads."""

from __future__ import annotations

from harness.matrix import each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_a_fork_leaves_the_gate_free_on_both_sides(python: Python) -> None:
    assert run_probe(python, "fork_gate/gate.py") == {"free": [True] * 5}


@some_pythons
def test_a_child_without_the_handlers_finds_the_gate_free(python: Python) -> None:
    """It was forked while another thread, which entered the engine, was in the gate. After an
    attach to it, each of its own forks waited for a second."""
    assert run_probe(python, "fork_gate/late_reset.py") == {"is_free": True}


@each_python
def test_a_fork_and_the_first_take_of_the_gil_do_not_wait_for_each_other(python: Python) -> None:
    """From 3.13 on the forking thread holds a lock that the first take waits for."""
    assert run_probe(python, "fork_gate/first_take.py") == {"was_free": True}
