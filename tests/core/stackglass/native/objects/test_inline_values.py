"""Dictionaries of instances: the search for locks' names reads those that exist, and makes none."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_objects_of_variable_size_get_no_dictionary(python: Python) -> None:
    assert run_probe(python, "contention/kept_layouts.py") == {
        "n_dicts": 0,
        "attribute": "__main__.Tuple.lock",
    }
