"""Sandwich of a file without stacks: a function with its direct callers and callees.

Such a file has the values of each pair of caller and callee, but not of longer paths. So both trees
have only the function and its direct callers, or callees.
"""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.graph.call_tree import NO_SAMPLES, CallTree, NodeValues
from stackglass_viewer.model.graph.sandwich import Half, Sandwich
from stackglass_viewer.model.graph.top import build_function_top
from stackglass_viewer.model.profile.pstats_table import FunctionTable


def build_edge_sandwich(table: FunctionTable, sample_type: TypeId, function: int) -> Sandwich:
    """Build the sandwich of a function from its direct callers and callees. May run in any thread.

    A function that calls itself is among its own callees, and not among its callers, as in a
    sandwich of stacks. Values that the file does not have count as 0.
    """
    top = build_function_top(table, sample_type)
    is_caller = (table.edge_callee == function) & (table.edge_caller != function)
    is_callee = table.edge_caller == function
    flat, cum = int(top.flat[function]), int(top.cum[function])
    above, below = np.flatnonzero(is_caller), np.flatnonzero(is_callee)
    callers = _make_half(table, sample_type, above, table.edge_caller[above], flat, cum)
    callees = _make_half(table, sample_type, below, table.edge_callee[below], flat, cum)
    return Sandwich(function, flat, cum, callers, callees)


def _make_half(
    table: FunctionTable,
    sample_type: TypeId,
    edges: Int64s,
    others: Int32s,
    flat: int,
    cum: int,
) -> Half:
    """Return a tree of the function and one box for each edge. The tree is as wide as the
    function's cum, or as the sum of the edges if that is larger, as it may be with recursion."""
    own_of_edge, total_of_edge = table.edge_n_calls, table.edge_n_calls
    if sample_type < len(table.own):
        own_of_edge, total_of_edge = table.edge_own[sample_type], table.edge_total[sample_type]
    own, total = (np.maximum(values[edges], 0) for values in (own_of_edge, total_of_edge))
    n = len(edges)
    head = np.zeros(1, dtype=np.int32)
    columns = (
        np.concatenate((head - 1, np.zeros(n, dtype=np.int32))),
        np.concatenate((head - 1, others.astype(np.int32))),
        np.concatenate((head, np.ones(n, dtype=np.int32))),
        np.zeros(n + 1, dtype=np.bool_),
    )
    values = NodeValues(
        np.concatenate(([flat], own)).astype(np.int64),
        np.concatenate(([max(cum, int(total.sum()))], total)).astype(np.int64),
        table.sample_types[sample_type].unit,
    )
    line = table.line.astype(np.int64)
    freeze(*columns, values.own, values.total, line)
    tree = CallTree(*columns, table.name, table.file, NO_SAMPLES, line)
    return Half(tree, values, values.total)
