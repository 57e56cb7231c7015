"""Split tree: a tree with a box below the root for each value of a label, above the stacks of its
samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import NO_SAMPLES, CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class SplitTree:
    """A split tree with its values, and the rows moved to its nodes. The frames of the label's
    values come after the frames of the tree that was split."""

    tree: CallTree
    values: NodeValues
    rows: LabelledRows


def split_tree(
    tree: CallTree, rows: LabelledRows, root_of_bearer: Int32s, names: Sequence[str], unit: str
) -> SplitTree:
    """Copy each sample's path below the box of its label's value. A value without samples gets no
    box. ``root_of_bearer``: (n_bearers,) the index into ``names`` of each bearer's value."""
    root_of_row = root_of_bearer[rows.bearer]
    parents, frames, depths, recursive = _start(tree)
    owns = [np.zeros(1, dtype=np.int64)]
    node = np.zeros(len(rows.node), dtype=np.int32)
    n_nodes, n_frames = 1, len(tree.frame_name)
    for root in np.unique(root_of_row).tolist():
        is_own = root_of_row == root
        kept, own = _find_used(tree, rows.node[is_own], rows.weight[is_own], unit)
        number = np.zeros(tree.n_nodes, dtype=np.int32)
        number[0] = n_nodes  # the value's box stands for the root
        number[kept] = n_nodes + 1 + np.arange(len(kept), dtype=np.int32)
        parents += [np.zeros(1, np.int32), number[tree.parent[kept]]]
        frames += [np.full(1, n_frames + root, np.int32), tree.frame[kept]]
        depths += [np.ones(1, np.int32), tree.depth[kept] + np.int32(1)]
        recursive += [np.zeros(1, np.bool_), tree.is_recursive[kept]]
        owns += [own[:1], own[kept]]
        node[is_own] = number[rows.node[is_own]]
        n_nodes += 1 + len(kept)
    lines = None
    if tree.frame_line is not None:
        lines = np.append(tree.frame_line, np.zeros(len(names), dtype=np.int64))
        freeze(lines)
    made = CallTree(
        np.concatenate(parents),
        np.concatenate(frames),
        np.concatenate(depths),
        np.concatenate(recursive),
        (*tree.frame_name, *names),
        (*tree.frame_file, *("" for _ in names)),
        NO_SAMPLES,
        lines,
    )
    freeze(made.parent, made.frame, made.depth, made.is_recursive, node)
    values = add_up(made, np.concatenate(owns), unit)
    return SplitTree(made, values, LabelledRows(node, rows.bearer, rows.weight))


def _start(tree: CallTree) -> tuple[list[Int32s], list[Int32s], list[Int32s], list[Bools]]:
    """Return the columns parent, frame, depth and is_recursive of the root alone, as lists of
    parts."""
    root = slice(0, 1)
    return [tree.parent[root]], [tree.frame[root]], [tree.depth[root]], [tree.is_recursive[root]]


def _find_used(tree: CallTree, nodes: Int32s, weights: Int64s, unit: str) -> tuple[Int64s, Int64s]:
    """Return the nodes on the paths to ``nodes``, except the root; and the own values of all nodes,
    (n_nodes,)."""
    own, n_ends = np.zeros(tree.n_nodes, dtype=np.int64), np.zeros(tree.n_nodes, dtype=np.int64)
    nodes = np.ascontiguousarray(nodes)
    _loops.sum_own(nodes, np.ascontiguousarray(weights), own)
    _loops.sum_own(nodes, np.ones(len(nodes), dtype=np.int64), n_ends)
    is_there = add_up(tree, n_ends, unit).total > 0
    return np.flatnonzero(is_there[1:]) + 1, own
