"""Nesting: the cost of one function's calls below another's, and the depth of recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.profile.pstats_table import FunctionTable

MOST_OUTER = 48  # most outer functions of ``sum_inner``, which needs one bit for each

_RADIX_MOST = 32767  # numpy sorts 16-bit integers by radix, an order of magnitude faster

Nesting = Callable[[Sequence[int], Sequence[int]], Int64s]
"""``(outer, inner)`` -> the total of each inner function's calls below each outer function:
(n_outer, n_inner). 0 for a function below itself."""


class TreeNesting:
    """Nesting in a call tree. ``sum_inner`` is a ``Nesting``."""

    def __init__(self, tree: CallTree, values: NodeValues) -> None:
        self._tree, self._values = tree, values
        depth = tree.depth
        if int(depth.max(initial=0)) < _RADIX_MOST:
            depth = depth.astype(np.int16)
        order = np.argsort(depth, kind="stable")
        self._levels = np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)[1:]

    def sum_inner(self, outer: Sequence[int], inner: Sequence[int]) -> Int64s:
        """See ``Nesting``. ``outer`` has at most ``MOST_OUTER`` functions."""
        tree = self._tree
        bits = np.zeros(len(tree.frame_name) + 1, np.int64)  # the root's frame is -1
        bits[list(outer)] = 1 << np.arange(len(outer))
        above = np.zeros(tree.n_nodes, np.int64)  # bit i: function i is an ancestor of the node
        for nodes, parents in self._iter_levels():
            above[nodes] = above[parents] | bits[tree.frame[parents]]
        sums = np.zeros((len(outer), len(inner)), np.int64)
        for column, function in enumerate(inner):
            nodes = np.flatnonzero((tree.frame == function) & ~tree.is_recursive)
            seen, totals = above[nodes], self._values.total[nodes]
            for row, other in enumerate(outer):
                if other != function:
                    sums[row, column] = totals[(seen >> row) & 1 == 1].sum()
        return sums

    def measure_recursion(self, function: int) -> tuple[int, int]:
        """Return the total of a function's calls by itself, directly or through others, and the
        largest number of its calls on one path."""
        tree = self._tree
        calls = np.flatnonzero(tree.frame == function)
        outer = self._find_outer(calls, function)
        nested = np.ones(len(calls), np.int64)
        for index in np.flatnonzero(outer >= 0).tolist():  # parents come before their children
            nested[index] = nested[outer[index]] + 1
        second = calls[nested == 2]
        return int(self._values.total[second].sum()), int(nested.max(initial=0))

    def _find_outer(self, calls: Int64s, function: int) -> Int64s:
        """Return for each call the index in ``calls`` of the nearest call above it: (n_calls,);
        −1 = none. ``calls``: all nodes of the function, ascending."""
        tree = self._tree
        outer = np.full(len(calls), -1, np.int64)
        left = np.flatnonzero(tree.is_recursive[calls])
        above = tree.parent[calls[left]].astype(np.int64)
        while len(left):
            is_found = tree.frame[above] == function
            outer[left[is_found]] = np.searchsorted(calls, above[is_found])
            left, above = left[~is_found], tree.parent[above[~is_found]].astype(np.int64)
        return outer

    def _iter_levels(self) -> Iterator[tuple[Int64s, Int64s]]:
        """Yield the nodes of each depth, and their parents."""
        for nodes in self._levels:
            yield nodes, self._tree.parent[nodes].astype(np.int64)


def nest_by_calls(calls: FunctionTable, sample_type: TypeId) -> Nesting:
    """Return the nesting of a file without stacks: only direct calls are known."""
    totals = calls.edge_total[calls.find_cost(sample_type)]

    def sum_inner(outer: Sequence[int], inner: Sequence[int]) -> Int64s:
        sums = np.zeros((len(outer), len(inner)), np.int64)
        rows = {function: row for row, function in enumerate(outer)}
        columns = {function: column for column, function in enumerate(inner)}
        is_meant = np.isin(calls.edge_caller, list(outer)) & np.isin(calls.edge_callee, list(inner))
        for edge in np.flatnonzero(is_meant).tolist():
            caller, callee = int(calls.edge_caller[edge]), int(calls.edge_callee[edge])
            if caller != callee:
                sums[rows[caller], columns[callee]] += max(int(totals[edge]), 0)
        return sums

    return sum_inner
