"""os.fork() in moments in which it is not hooked, and the engine's threads are there."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_a_program_of_one_thread_is_not_warned_as_threads_come_and_go(python: Python) -> None:
    """From 3.12 on; before, it waits for nothing."""
    seen = run_probe(python, "sampler/forks_between.py")
    assert seen["leaving"] == seen["coming"] == seen["again"] == [[], 0]
    assert seen["is_there"]
    assert seen["is_gone"] or python.minor < 12
