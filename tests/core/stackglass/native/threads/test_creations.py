"""Starts of threads, recorded while the engine leaves."""

from __future__ import annotations

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python

BIRTH_NS = 20_000_000
"""How long a thread is waited for that has been started and has not begun: always as long, if there
is none."""


@some_pythons
def test_tables_stay_while_a_thread_is_in_the_hook(python: Python) -> None:
    """Of an interpreter with a GIL of its own: the engine's GIL does not keep it out."""
    assert run_probe(python, "sampler/late_starts.py") == {
        "recorded": 1,
        "is_inside": True,
        "has_table": True,
        "late": 0,
        "has_table_afterwards": False,
    }


@some_pythons
def test_a_state_without_a_thread_is_not_waited_for(python: Python) -> None:
    """The program's lock is held meanwhile."""
    seen = run_probe(python, "sampler/early_states.py")
    assert seen["has_state"]
    assert seen["least_ns"] < BIRTH_NS
