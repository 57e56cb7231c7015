"""Waits at a gate."""

from __future__ import annotations

from native import _core_testing as core


def test_the_result_of_a_wait_is_what_the_gate_says() -> None:
    """A thread that finds the gate shut steps in and out at any moment."""
    assert core.gate_wait_differs(500_000) == 0
