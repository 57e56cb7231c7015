"""Cycles in a call graph, called circles here: its strongly connected components."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.native import _loops


def find_circles(n_functions: int, caller: Int32s, callee: Int32s) -> tuple[Int32s, int]:
    """Return (n_functions,) a number that the functions of one circle share, and how many functions
    are in a circle of two or more. ``caller`` and ``callee`` are sorted by caller."""
    start = np.searchsorted(caller, np.arange(n_functions + 1))
    circle, n_in_circles = _loops.find_circles(start, np.ascontiguousarray(callee))
    return np.asarray(circle), n_in_circles
