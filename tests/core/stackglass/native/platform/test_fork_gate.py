"""The gate between forks of the program and the engine's threads."""

from __future__ import annotations

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_a_fork_leaves_the_gate_free_on_both_sides(python: Python) -> None:
    assert run_probe(python, "fork_gate/gate.py") == {"free": [True] * 5}
