"""Inverted call tree: the first row has the leaf functions of all samples, each with its callers
below.

::

        main                       all
       ╱    ╲                     ╱   ╲
    serve   mail               dumps  render
      │       │        ─▶       │      ╱  ╲
    dumps   render            serve mail  …
                                │     │
                               main  main

A box is as wide as the flat cost that its first-row function has on the paths through the box.
Recursion shows as a function below itself. Each stack counts once, below its leaf function.
"""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.sandwich import Half
from stackglass_viewer.model.graph.tree_merge import MergedTree
from stackglass_viewer.native import _loops

_MOST_STEPS = 1 << 20  # frames of all paths together; with more, the narrowest branches are cut
_LEAST_SHARE = 1 / (1 << 16)  # of the whole; narrower boxes are less than a pixel wide


def invert_tree(tree: CallTree, values: NodeValues, most_steps: int = _MOST_STEPS) -> Half:
    """Merge the paths from where samples end to the root. May run in any thread.

    In the result ``values.own`` is the flat cost of the first row's boxes and 0 for their callers.
    If all paths together have more than ``most_steps`` frames, boxes below 1/65536 of the whole
    have no callers.
    """
    own, unit = values.own, values.unit
    ends = np.flatnonzero(own[1:]).astype(np.int32) + np.int32(1)
    size = np.abs(own[ends])
    is_cut = int(tree.depth[ends].sum(dtype=np.int64)) > most_steps
    least = int(size.sum() * _LEAST_SHARE) if is_cut else 0
    merged = MergedTree(tree)
    node = np.zeros(len(ends), dtype=np.int32)  # the node that each path has reached
    walking, at = np.arange(len(ends)), ends
    while len(walking):
        parents = np.arange(len(walking), dtype=np.int32)
        node[walking] = merged.grow(parents, tree.frame[at], node[walking])
        at = tree.parent[at]
        goes_on = at > 0
        if least:
            reached = node[walking]
            width = np.bincount(reached, weights=size[walking])
            goes_on &= width[reached] >= least
        walking, at = walking[goes_on], at[goes_on]
    half = merged.view()
    node = np.append(node, np.int32(0))  # samples without a stack end at the root
    totals, sizes = (
        add_up(half, _sum_at(node, np.append(column, rest), half.n_nodes), unit).total
        for column, rest in ((own[ends], own[0]), (size, abs(own[0])))
    )
    flat = np.where(half.depth == 1, totals, 0)
    flat[0] = own[0]
    freeze(flat)
    return Half(half, NodeValues(flat, totals, unit), sizes)


def _sum_at(node: np.ndarray, weight: np.ndarray, n_nodes: int) -> np.ndarray:
    sums = np.zeros(n_nodes, dtype=np.int64)
    _loops.sum_own(node, np.ascontiguousarray(weight, dtype=np.int64), sums)
    return sums
