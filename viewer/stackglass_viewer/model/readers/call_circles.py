"""Functions that call each other in circles: strongly connected components, by Tarjan."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.native import _loops


def find_circles(n_functions: int, caller: Int32s, callee: Int32s) -> tuple[Int32s, int]:
    """(n_functions,) int32: a number that functions of one circle share; and how many functions
    are in circles with others. ``caller`` and ``callee`` are ordered by caller."""
    start = np.searchsorted(caller, np.arange(n_functions + 1))
    circle, n_in_circles = _loops.find_circles(start, np.ascontiguousarray(callee))
    return np.asarray(circle), n_in_circles
