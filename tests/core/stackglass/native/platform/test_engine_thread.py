"""The engine's threads, however they end."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_engine_threads_that_python_ends_do_not_end_the_program(python: Python) -> None:
    """Up to 3.13 it ends threads that ask for the GIL while the interpreter ends."""
    assert run_probe(python, "sampler/ended.py") == {"failures": [0, 0, 0]}


@each_python
def test_a_joined_thread_is_no_longer_counted_by_the_system(python: Python) -> None:
    """Else it would be taken for a thread of the program, which is then warned at a fork."""
    assert run_probe(python, "sampler/joined.py") == {"counted": 0}
