"""Callers of the functions of a function table, grouped by function."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.pstats_table import FunctionTable


class Callers:
    """The edges of a table, sorted by callee. Immutable."""

    def __init__(self, table: FunctionTable, cost: int) -> None:
        """``cost``: index of the cost that orders the callers of a function."""
        self._edges = np.lexsort((-table.edge_total[cost], table.edge_callee))
        self._callees = table.edge_callee[self._edges]

    def list_edges(self, function: int) -> Int64s:
        """Return the edges to a function, the most expensive caller first."""
        first, last = np.searchsorted(self._callees, [function, function + 1])
        edges: Int64s = self._edges[first:last]
        return edges
