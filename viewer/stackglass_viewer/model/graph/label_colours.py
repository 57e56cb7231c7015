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
    """The largest values of one key, and the boxes in which each prevails."""

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
    """The values of a key and the boxes that they prevail in. A sample with several values counts
    for the first of them. One pass over the samples for each value that has a colour."""
    labels = [at for at, (each, _) in enumerate(index.labels) if each == key]
    of_bearer = _find_first_labels(index, labels)
    n_labels = len(index.labels)
    sums = np.zeros(n_labels + 1, dtype=np.int64)  # the last: without the label
    _loops.sum_own(of_bearer[rows.bearer], np.ascontiguousarray(rows.weight), sums)
    by_label = sums.tolist()
    largest = sorted(
        (each for each in labels if by_label[each]), key=lambda each: -abs(by_label[each])
    )
    shown = largest[:MOST_VALUES]
    place_of = np.full(n_labels + 1, -1, dtype=np.int8)
    place_of[shown] = np.arange(len(shown))
    place_of_row = place_of[of_bearer][rows.bearer]
    most = _sum(tree, rows, place_of_row < 0)
    of_node = np.full(tree.n_nodes, -1, dtype=np.int32)
    for place in range(len(shown)):
        total = _sum(tree, rows, place_of_row == place)
        of_node[total > most] = place
        most = np.maximum(most, total)
    return BoxLabels(
        key,
        tuple(index.labels[label][1] for label in shown),
        tuple(by_label[label] for label in shown),
        int(sums.sum()) - sum(by_label[label] for label in shown),
        of_node,
    )


def _find_first_labels(index: LabelIndex, labels: Sequence[int]) -> Int32s:
    """(n_bearers,) the first of these labels that each has; as many as there are labels = none."""
    is_wanted = np.zeros(len(index.labels), dtype=np.bool_)
    is_wanted[list(labels)] = True
    is_meant = is_wanted[index.label]
    bearer, label = index.bearer[is_meant], index.label[is_meant]
    order = np.argsort(-label, kind="stable")  # of several the last one put holds
    of_bearer = np.full(index.n_bearers, len(index.labels), dtype=np.int32)
    of_bearer[bearer[order]] = label[order]
    return of_bearer


def _sum(tree: CallTree, rows: LabelledRows, which: Bools) -> Int64s:
    """(n_nodes,) the size of each node, of some rows."""
    own = np.zeros(tree.n_nodes, dtype=np.int64)
    nodes = np.ascontiguousarray(rows.node[which])
    _loops.sum_own(nodes, np.ascontiguousarray(rows.weight[which]), own)
    return np.abs(add_up(tree, own, "").total)
