"""Edges of a call graph, summed from a tree: the calls from one function to another, as in pprof.

A call that is on a stack several times counts once. Functions that are left out are skipped: an
edge leads from the caller of such a function to its callee. For reports, ``call_graph`` sums the
same edges from samples, without the edges of a function to itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class CallEdges:
    """One row per edge. A function that calls itself directly has an edge to itself."""

    caller: Int32s  # (n_edges,) frame
    callee: Int32s  # (n_edges,) frame
    weight: Int64s  # (n_edges,)
    is_residual: Bools  # (n_edges,) some of the calls go through functions that are left out


def sum_tree_edges(tree: CallTree, values: NodeValues, is_kept: Bools) -> CallEdges:
    """Sum the edges between the frames of ``is_kept``, (n_frames,). May run in any thread."""
    n_frames = len(tree.frame_name)
    is_node = np.zeros(tree.n_nodes, dtype=np.bool_)
    is_node[1:] = is_kept[tree.frame[1:]]
    is_node &= _find_present(tree, values)
    caller_node = _find_above(tree.parent, is_node)
    nodes = np.flatnonzero(is_node & (caller_node > 0))
    above = caller_node[nodes]
    is_direct = above == tree.parent[nodes]
    callers, callees = tree.frame[above].astype(np.int64), tree.frame[nodes].astype(np.int64)
    is_call = (callers != callees) | is_direct
    nodes, is_direct = nodes[is_call], is_direct[is_call]
    keys = callers[is_call] * max(n_frames, 1) + callees[is_call]
    is_counted = _find_outermost(tree, nodes, keys)
    return _add_up(keys, values.total[nodes], ~is_direct, is_counted, max(n_frames, 1))


def sum_table_edges(table: FunctionTable, type_index: int, is_kept: Bools) -> CallEdges:
    """Return the edges of a file that has functions and their calls in place of stacks. Edges from
    or to a function that is left out are dropped: without stacks, the paths through it are
    unknown."""
    both = is_kept[table.edge_caller] & is_kept[table.edge_callee]
    weights = table.edge_n_calls if type_index >= len(table.own) else table.edge_total[type_index]
    known = np.maximum(weights[both], 0)
    columns = (table.edge_caller[both], table.edge_callee[both], known)
    edges = CallEdges(*columns, np.zeros(int(both.sum()), dtype=np.bool_))
    freeze(*columns, edges.is_residual)
    return edges


def _find_present(tree: CallTree, values: NodeValues) -> Bools:
    """Return whether a stack with a value goes through each node: (n_nodes,)."""
    is_present: Bools = values.total != 0
    if len(values.own) and int(values.own.min()) < 0:  # changes of both signs may cancel out
        is_present = add_up(tree, np.abs(values.own), values.unit).total != 0
    return is_present


def _find_above(parent: Int32s, is_node: Bools) -> Int32s:
    """Return the nearest kept ancestor of each node: (n_nodes,); 0 = the root, or none."""
    jump = np.where(is_node, np.arange(len(parent), dtype=np.int32), np.maximum(parent, 0))
    while True:  # pointer jumping: each round doubles the distance
        further = jump[jump]
        if np.array_equal(further, jump):
            above: Int32s = jump[np.maximum(parent, 0)]
            return above
        jump = further


def _find_outermost(tree: CallTree, nodes: Int64s, keys: Int64s) -> Bools:
    """Return whether each node is outermost, below no other node with its key: (n,)."""
    is_outermost: Bools = np.ones(len(nodes), dtype=np.bool_)
    repeated = np.unique(keys[tree.is_recursive[nodes]])
    rows = np.flatnonzero(np.isin(keys, repeated))
    if not len(rows):
        return is_outermost
    first, size = _number_by_depth_first(tree.parent)
    rows = rows[np.lexsort((first[nodes[rows]], keys[rows]))]
    begin, group = first[nodes[rows]], np.unique(keys[rows], return_inverse=True)[1]
    # Subtrees are intervals of depth-first places, nested or disjoint. In the order of their
    # begins, a node is below another one of its key if it begins before the largest end so far.
    base = group.astype(np.int64) * (tree.n_nodes + 1)
    ended = np.maximum.accumulate(base + begin + size[nodes[rows]])
    is_below = np.zeros(len(rows), dtype=np.bool_)
    is_below[1:] = (group[1:] == group[:-1]) & ((base + begin)[1:] < ended[:-1])
    is_outermost[rows] = ~is_below
    return is_outermost


def _number_by_depth_first(parent: Int32s) -> tuple[Int64s, Int64s]:
    """Return the place of each node in depth-first order, and the size of its subtree: (n_nodes,)
    each."""
    size = np.ones(len(parent), dtype=np.int64)
    _loops.add_up(parent, size)
    order = np.argsort(parent[1:], kind="stable") + 1  # siblings together
    of_parent = parent[order]
    before = np.cumsum(size[order]) - size[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = of_parent[1:] != of_parent[:-1]
    family = np.cumsum(is_first) - 1
    first = np.zeros(len(parent), dtype=np.int64)
    first[order] = 1 + before - before[is_first][family]
    up = np.maximum(parent, 0)
    while up.any():  # pointer jumping: each round doubles the length of the path that is summed
        first = first + first[up]
        up = up[up]
    return first, size


def _add_up(
    keys: Int64s, weights: Int64s, is_residual: Bools, is_counted: Bools, n_frames: int
) -> CallEdges:
    """Sum the calls with the same key into one row per edge."""
    found, edge = np.unique(keys[is_counted], return_inverse=True)
    weight = np.zeros(len(found), dtype=np.int64)
    np.add.at(weight, edge, weights[is_counted])
    residual = np.zeros(len(found), dtype=np.bool_)
    residual[edge[is_residual[is_counted]]] = True
    callers, callees = np.divmod(found, n_frames)
    edges = CallEdges(callers.astype(np.int32), callees.astype(np.int32), weight, residual)
    freeze(edges.caller, edges.callee, weight, residual)
    return edges
