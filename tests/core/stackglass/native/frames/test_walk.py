"""Walks of frames that may go while they are read."""

from __future__ import annotations

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python

FIRST_WITH_BASE_FRAME = 15


@some_pythons
def test_the_base_frame_of_a_state_that_is_freed_is_not_read_in_place(python: Python) -> None:
    """Nothing keeps a thread with another GIL from ending during the walk: the walk is cut short,
    where a read in place would end the program."""
    reported = run_probe(python, "sampler/freed_state.py")
    assert reported["has_base_frame"] == (python.minor >= FIRST_WITH_BASE_FRAME)
    if reported["has_base_frame"]:
        assert reported["walked"] == [True, 0]
