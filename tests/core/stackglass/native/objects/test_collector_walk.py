"""Walk of the collector's lists, as the search for locks' names uses it. Whether it meets every
object is tested by the census: tests/core/stackglass/native/census."""

from __future__ import annotations

import pytest

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python

FIRST_MINOR_WITH_SWITCH = 10


@each_python
def test_no_collection_begins_in_a_slice(python: Python) -> None:
    """On 3.9 the engine's job cannot switch the collector off, so the walk holds it."""
    if python.minor >= FIRST_MINOR_WITH_SWITCH:
        pytest.skip("the job that walks has switched the collector off")
    assert run_probe(python, "contention/held_collector.py") == {
        "n_collecting": 0,
        "is_collected": True,
    }
