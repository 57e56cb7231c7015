"""Labelled blocks in short-lived interpreters, while the main interpreter is in such a block."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

from probe import report

import stackglass

if sys.version_info >= (3, 13):
    import _interpreters
else:
    import _xxsubinterpreters as _interpreters

CODE = f"""
import sys

sys.path = {sys.path!r}

import stackglass

for i in range(1000):
    with stackglass.labels(route=i % 100):
        assert stackglass.current_labels() == {{"route": str(i % 100)}}
assert stackglass.current_labels() == {{}}
kept = stackglass.labels(route="kept")
kept.__enter__()
"""


def make():
    """Make an interpreter that shares the GIL: others cannot import the extension."""
    if sys.version_info >= (3, 13):
        return _interpreters.create("legacy")
    return _interpreters.create(isolated=False)


seen = []
with stackglass.labels(route="main"):
    for n in range(5):
        interpreter = make()
        failure = _interpreters.run_string(interpreter, CODE)
        _interpreters.destroy(interpreter)
        with stackglass.labels(n=n):
            seen.append([failure and str(failure), stackglass.current_labels()])
report(seen=seen, after=stackglass.current_labels())
