"""The list of threads and what they sleep on."""

from __future__ import annotations

from harness.compiled import compile_library
from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_a_thread_is_listed_once_though_the_kernel_passes_over_it(python: Python) -> None:
    """The kernel may do so when a thread ends that it has listed."""
    library = compile_library("passing_over.c", "now", "-ldl")
    assert run_probe(python, "listed_threads.py", LD_PRELOAD=library) == {
        "is_whole": True,
        "more": [],
        "missing": [],
    }
