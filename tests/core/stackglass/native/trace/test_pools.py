"""Pools of the interpreter's small-object allocator, found inside each Python."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_blocks_are_found_by_address(python: Python) -> None:
    """Also when the array of arenas has more entries than were counted, at the same address."""
    sizes = {"48": 48, "256": 256, "512": 512}
    assert run_probe(python, "heap/pools.py") == {
        "has_live": True,
        "known": sizes,
        "grown": sizes,
        "large": 0,
    }
