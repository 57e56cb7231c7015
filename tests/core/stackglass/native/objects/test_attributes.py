"""Attributes of the program's objects, as the engine names them."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_no_code_of_the_program_runs_for_a_name(python: Python) -> None:
    """A property that hides a slot or the dictionary, and a hook that hears of `__code__`: the walk
    of the collector's lists would not survive what they may do."""
    assert run_probe(python, "contention/quiet_names.py") == {
        "names": [
            "__main__.Hidden.lock",
            "__main__.close_over.<locals>.lock",
            "__main__.OfMeta.lock",
            "__main__.Derived.lock",
        ],
        "is_on": True,
        "called": [],
    }
