"""Requested collections: what the program does to the collector's switch meanwhile stays."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_the_switch_is_as_the_program_left_it_in_a_collection(python: Python) -> None:
    """Finalizers run in a collection, and so do other threads while a finalizer runs."""
    reported = run_probe(python, "worker/switched_collections.py")
    assert reported["on"] == [True, True]
    assert reported["off"] == [True, False]
    assert reported["turned_off"] == [True, False]
    assert reported["turned_on"] == [True, True]
