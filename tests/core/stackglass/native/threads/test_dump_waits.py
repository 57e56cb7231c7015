"""Locks that the threads of a dump wait for, in a dump that takes several slices."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_a_wait_from_before_the_attach_is_found_in_any_slice(python: Python) -> None:
    """And one that is over by then is not reported, although its row shows it."""
    reported = run_probe(python, "locks/earlier_waits.py")
    assert reported["n_waiting"] == 20
    assert reported["before"] == [True, True]
    assert reported["after"] == [False, True]
    assert reported["woken"] == 0
