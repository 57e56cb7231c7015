"""Cycles in a call graph: its strongly connected components."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.native import _loops


def find_cycles(n_functions: int, caller: Int32s, callee: Int32s) -> tuple[Int32s, int]:
    """Return (n_functions,) a number that the functions of one cycle share, and how many functions
    are in a cycle of two or more. ``caller`` and ``callee`` are sorted by caller."""
    start = np.searchsorted(caller, np.arange(n_functions + 1))
    cycle, n_in_cycles = _loops.find_cycles(start, np.ascontiguousarray(callee))
    return np.asarray(cycle), n_in_cycles
