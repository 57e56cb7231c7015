"""Attributes of the program's objects, as the engine reads them."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python

N_OTHERS = 100


@each_python
def test_reading_attributes_leaves_nothing_in_the_interpreter(python: Python) -> None:
    """Its cache of attribute lookups keeps a name for each place that a name has in memory."""
    facts = run_probe(python, "attribute_reads.py")
    assert facts["found"] == ["code", "NoneType", "read_all"]
    assert facts["is_called"]
    assert facts["is_missing"]
    assert abs(facts["n_more"]) < N_OTHERS
