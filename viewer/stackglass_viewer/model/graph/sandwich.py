"""Sandwich: one function between the tree of its callers and the tree of its callees.

::

              main   serve                    callers: the paths to it, reversed
                 ▲   ▲
                 render                       the function: node 0 of both trees
                 ▼   ▼
             escape  dumps                    callees: the paths from it

Recursion counts once, as in the cum of the function table: if the function is on a stack several
times, only the outermost call counts. So the function is never among its own callers, and its inner
calls are among its callees. Both trees are as wide as the function's cum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import NO_SAMPLES, CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.tree_merge import MergedTree
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """The tree of the callers or of the callees. Node 0 is the function, frames are those of the
    whole tree, and ``tree.is_recursive`` is False everywhere.

    At a caller, ``values.total`` is the function's cum on the paths through that caller, and
    ``values.own`` the function's flat there.
    """

    tree: CallTree
    values: NodeValues
    size: Int64s  # (n_nodes,) width of a box: the total; for differences the sum of absolute values


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """A function and both its halves. Immutable."""

    function: int  # frame
    flat: int  # as in the table
    cum: int  # as in the table
    callers: Half
    callees: Half


def build_sandwich(tree: CallTree, values: NodeValues, function: int) -> Sandwich:
    """Merge the callers and the callees of a function. May run in any thread.

    If there are negative values, all values are differences: a gain and a loss of two merged paths
    cancel out in the values and add up in the widths.
    """
    is_function = tree.frame == function
    own = values.own
    size = np.abs(own) if len(own) and int(own.min()) < 0 else own
    outer = np.flatnonzero(is_function & ~tree.is_recursive).astype(np.int32)
    call = _find_calls(tree, outer)
    within = np.flatnonzero(call).astype(np.int32)  # in a call, or the call itself
    calls = np.flatnonzero(is_function).astype(np.int32)
    size_by_call = values.total[outer]
    if size is not own:
        size_by_call = _sum_by(call[within], size[within], tree.n_nodes)[outer]
    own_by_call = _sum_by(call[calls], own[calls], tree.n_nodes)[outer]
    by_call = (own_by_call, values.total[outer], size_by_call)
    return Sandwich(
        function=function,
        flat=int(own[calls].sum()),
        cum=int(values.total[outer].sum()),
        callers=_merge_callers(tree, values.unit, outer, by_call),
        callees=_merge_callees(tree, values, size, within, call),
    )


def _find_calls(tree: CallTree, outer: Int32s) -> Int32s:
    """Return the outermost call of the function at or above each node: (n_nodes,); 0 = none.

    This is pointer jumping: at first a node points to its parent, and a call to itself; then each
    node takes its target's target until nothing changes.
    """
    call = tree.parent.copy()
    call[0] = 0
    call[outer] = outer
    while True:
        further = call[call]
        if np.array_equal(further, call):
            break
        call = further
    is_call = np.zeros(tree.n_nodes, dtype=np.bool_)
    is_call[outer] = True
    return np.where(is_call[call], call, np.int32(0))


def _sum_by(node: Int32s, weight: Int64s, n_nodes: int) -> Int64s:
    """Return the sum of the weights of each node: (n_nodes,)."""
    sums = np.zeros(n_nodes, dtype=np.int64)
    _loops.sum_own(node, np.ascontiguousarray(weight), sums)
    return sums


def _merge_callees(
    tree: CallTree, values: NodeValues, size: Int64s, within: Int32s, call: Int32s
) -> Half:
    """Merge the subtrees of all outermost calls into one tree with the function as its root.

    ``size`` and ``call``: (n_nodes,); ``within``: the nodes in a call, in the tree's order, so that
    parents come first.
    """
    below = within[call[within] != within]
    number = np.zeros(tree.n_nodes, dtype=np.int32)  # 0 for the calls
    number[below] = np.arange(1, len(below) + 1, dtype=np.int32)
    node = np.zeros(len(within), dtype=np.int32)
    if len(within) == len(below) + 1:  # one call: nothing to merge, and hashing takes longest
        node[within != call[within]] = number[below]
        half = _cut_out(tree, number[tree.parent[below]], below, int(call[within[0]]))
    else:
        merged = MergedTree(tree)
        root = np.zeros(1, dtype=np.int32)  # stands for all calls
        node[call[within] != within] = merged.grow(
            number[tree.parent[below]], tree.frame[below], root
        )
        half = merged.view()
    own = _sum_by(node, values.own[within], half.n_nodes)
    summed = add_up(half, own, values.unit)
    if size is values.own:
        return Half(half, summed, summed.total)
    sizes = add_up(half, _sum_by(node, size[within], half.n_nodes), values.unit)
    return Half(half, summed, sizes.total)


def _cut_out(tree: CallTree, parent: Int32s, below: Int32s, call: int) -> CallTree:
    """Return the subtree of a call. ``below``: its nodes except the call; ``parent``: (n_below,)
    the parent of each, as numbered in the subtree."""
    root = np.full(1, -1, dtype=np.int32)
    columns = (
        np.concatenate((root, parent)),
        np.concatenate((root, tree.frame[below])),
        np.concatenate((root, tree.depth[below] - tree.depth[call])),
        np.zeros(len(below) + 1, dtype=np.bool_),
    )
    columns[2][0] = 0
    freeze(*columns)
    return CallTree(
        *columns,
        tree.frame_name,
        tree.frame_file,
        NO_SAMPLES,
        tree.frame_line,
    )


def _merge_callers(
    tree: CallTree, unit: str, outer: Int32s, by_call: tuple[Int64s, Int64s, Int64s]
) -> Half:
    """Walk from all calls to the root together, one caller per step, and merge equal paths.

    ``by_call``: own, total and size of each call, (n_calls,).
    """
    merged = MergedTree(tree)
    end = np.zeros(len(outer), dtype=np.int32)  # where each call's path ends
    walking = np.arange(len(outer))
    at = outer
    while len(walking):
        above = tree.parent[at]
        walking, at = walking[above > 0], above[above > 0]
        if len(walking):
            parents = np.arange(len(walking), dtype=np.int32)
            end[walking] = merged.grow(parents, tree.frame[at], end[walking])
    half = merged.view()
    own, total, size = (
        add_up(half, _sum_by(end, column, half.n_nodes), unit).total for column in by_call
    )
    return Half(half, NodeValues(own, total, unit), size)
