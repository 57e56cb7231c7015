"""Holders that are inferred from `with` blocks; test_locks.py has the ordinary cases."""

from __future__ import annotations

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_no_holder_is_inferred_from_a_part_of_the_blocks(python: Python) -> None:
    """Two threads are in blocks of the lock, and only one of them is on the list."""
    assert run_probe(python, "locks/many_blocks.py")["holder"] == ["", 0]


@some_pythons
def test_in_a_deep_recursion_blocks_inside_of_a_release_by_hand_are_known(python: Python) -> None:
    """Each frame is looked at once, however many blocks there are."""
    assert run_probe(python, "locks/nested_blocks.py")["holders"] == [False, False, True, True]
