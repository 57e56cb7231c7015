"""Which Pythons a test runs on: each of them, or three where more would show nothing new."""

from __future__ import annotations

import pytest

from harness.pythons import pythons_with_gil

PYTHONS = pythons_with_gil()
NEWEST = PYTHONS[-1]
# Frames are objects, live on a stack with tables of offsets that the interpreter gives, and the
# newest there are.
SOME = [python for python in PYTHONS if python.minor in (9, 13, 15)] or list(PYTHONS[:1])
each_python = pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
some_pythons = pytest.mark.parametrize("python", SOME, ids=lambda python: python.label)
