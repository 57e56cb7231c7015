"""Threads that C code starts, and the threads that did."""

from __future__ import annotations

from harness.compiled import compile_library
from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python
from harness.seccomp_filters import ALLOW, KILL, build_filter


@each_python
def test_the_starter_of_a_thread_of_c_is_known_while_imports_are_redirected(
    python: Python,
) -> None:
    """From Python's threads and from C's; not before, and not after. One of them is under a filter
    of its own, which kills on calls that the engine's own threads may make."""
    code = build_filter(["process_vm_readv"], KILL, ALLOW)
    reported = run_probe(
        python, "heap/started.py", compile_library("heap/started.c"), FILTER=code.hex()
    )
    assert not reported["problem"]
    assert reported["is_right"], reported["starts"]
    assert reported["is_empty"]
    assert reported["is_silent"]
