"""Boxes by label: the value of a label that most of each box has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s
from stackglass_viewer.model.graph.call_tree import CallTree, add_up
from stackglass_viewer.model.profile.label_table import LabelIndex
from stackglass_viewer.native import _loops

MOST_VALUES = 8  # that have a colour; those with most


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Samples by node and by what carries their labels; columns of equal length."""

    node: Int32s  # (n,)
    bearer: Int32s  # (n,)
    weight: Int64s  # (n,)


@dataclass(frozen=True, slots=True, eq=False)
class BoxLabels:
    """The values of one key with most, and where they prevail."""

    key: str
    values: tuple[str, ...]  # by size
    sums: tuple[int, ...]  # of each value
    others: int  # the sum of all other values, and of samples without the label
    of_node: Int32s  # (n_nodes,) position in ``values``; -1 = something else prevails


def join_labelled(parts: Sequence[LabelledRows]) -> LabelledRows:
    """One table of several."""
    if not parts:
        none = np.empty(0, dtype=np.int32)
        return LabelledRows(none, none, np.empty(0, dtype=np.int64))
    return LabelledRows(
        np.concatenate([part.node for part in parts]),
        np.concatenate([part.bearer for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )


def find_box_labels(tree: CallTree, rows: LabelledRows, index: LabelIndex, key: str) -> BoxLabels:
    """A sample with several values of the key counts for the first of them."""
    labels = [at for at, (each, _) in enumerate(index.labels) if each == key]
    of_bearer = np.full(index.n_bearers, -1, dtype=np.int32)
    for label in reversed(labels):
        of_bearer[index.bearer[index.label == label]] = label
    label_of_row = of_bearer[rows.bearer]
    sums = {label: int(rows.weight[label_of_row == label].sum()) for label in labels}
    largest = sorted((each for each in labels if sums[each]), key=lambda each: -abs(sums[each]))
    shown = largest[:MOST_VALUES]
    is_other = ~np.isin(label_of_row, np.array(shown, dtype=np.int32))
    most = _sum(tree, rows, is_other)
    of_node = np.full(tree.n_nodes, -1, dtype=np.int32)
    for place, label in enumerate(shown):
        total = _sum(tree, rows, label_of_row == label)
        of_node[total > most] = place
        most = np.maximum(most, total)
    return BoxLabels(
        key,
        tuple(index.labels[label][1] for label in shown),
        tuple(sums[label] for label in shown),
        int(rows.weight[is_other].sum()),
        of_node,
    )


def _sum(tree: CallTree, rows: LabelledRows, which: Bools) -> Int64s:
    """(n_nodes,) the size of each node, of some rows."""
    own = np.zeros(tree.n_nodes, dtype=np.int64)
    nodes = np.ascontiguousarray(rows.node[which])
    _loops.sum_own(nodes, np.ascontiguousarray(rows.weight[which]), own)
    return np.abs(add_up(tree, own, "").total)
