"""Whether a tool hooks the allocations that are made without the GIL: what an attach waits for."""

from __future__ import annotations

import pytest

from harness.matrix import ONE_EACH, PYTHONS, choose_pythons, each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
@pytest.mark.parametrize("allocator", ["malloc", "debug"])
def test_the_interpreters_own_is_known_with_its_debug_hooks(python: Python, allocator: str) -> None:
    """Tracemalloc is seen on top of them, and that it was never loaded."""
    looks = run_probe(python, "raw_allocator.py", PYTHONMALLOC=allocator)["looks"]
    assert looks == [[True, False, False], [False, True, True], [True, False, True]]


@each_python
@pytest.mark.parametrize("n_names", [300, 70_000])
@pytest.mark.parametrize("other", ["", "1"], ids=["texts", "other-keys"])
def test_a_loaded_tracemalloc_is_seen_among_many_modules(
    python: Python, n_names: int, other: str
) -> None:
    """From 3.12 on it is looked up as the interpreter does it: by hash."""
    looks = run_probe(python, "raw_allocator.py", NAMES=str(n_names), OTHER=other)["looks"]
    assert looks == [[True, False, False], [False, True, True], [True, False, True]]


@choose_pythons([python for python in ONE_EACH if python.minor >= 13], PYTHONS)
def test_asking_stops_no_thread_for_good(python: Python) -> None:
    """From 3.13 on a call of PyMem_GetAllocator without the GIL makes tracemalloc.stop() release
    the GIL while it holds the lock of its tables: with such calls the program hangs in seconds."""
    assert run_probe(python, "polled_allocator.py", N_ROUNDS="30000")["n_traced"] > 0


@each_python
def test_the_table_of_modules_is_never_read_in_place(python: Python) -> None:
    """An import may free it between a look whether it is there and the read."""
    reported = run_probe(python, "unreadable_modules.py", MALLOC_MMAP_THRESHOLD_="131072")
    assert reported["look"] == [True, False, False]
