"""Whether a tool hooks the allocations that are made without the GIL: what an attach waits for."""

from __future__ import annotations

import pytest

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
@pytest.mark.parametrize("allocator", ["malloc", "debug"])
def test_the_interpreters_own_is_known_with_its_debug_hooks(python: Python, allocator: str) -> None:
    """Tracemalloc is seen on top of them; that it was never started is known up to 3.11."""
    looks = run_probe(python, "raw_allocator.py", PYTHONMALLOC=allocator)["looks"]
    is_unknown = python.minor > 11
    assert looks == [[True, is_unknown], [False, True], [True, True]]
