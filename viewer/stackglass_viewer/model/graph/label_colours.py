"""Colouring by label: finds the value of a label key that has the largest part of each box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, add_up
from stackglass_viewer.model.profile.label_table import LabelIndex
from stackglass_viewer.native import _loops

MOST_VALUES = 8  # only the largest values have a colour


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Values by node and by bearer of labels: a label set of a capture, or a sample of a file."""

    node: Int32s  # (n,)
    bearer: Int32s  # (n,) as ``LabelIndex`` numbers them
    weight: Int64s  # (n,)


@dataclass(frozen=True, slots=True, eq=False)
class BoxLabels:
    """The largest values of one key, and the boxes in which each has the largest part."""

    key: str
    values: tuple[str, ...]  # the largest sum first
    sums: tuple[int, ...]  # of each value
    others: int  # the sum of all other values, and of samples without the label
    of_node: Int32s  # (n_nodes,) index in ``values``; -1 = other values, or none, have most


def join_labelled(parts: Sequence[LabelledRows]) -> LabelledRows:
    """Concatenate tables."""
    none = np.empty(0, dtype=np.int32)
    joined = LabelledRows(
        np.concatenate([none, *(part.node for part in parts)]),
        np.concatenate([none, *(part.bearer for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.weight for part in parts)]),
    )
    freeze(joined.node, joined.bearer, joined.weight)
    return joined


def find_box_labels(tree: CallTree, rows: LabelledRows, index: LabelIndex, key: str) -> BoxLabels:
    """Return the largest values of a key, and for each box the value with the largest part of it. A
    sample with several values counts for the first. Makes one pass over the samples per value."""
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
    value_of = np.full(n_labels + 1, -1, dtype=np.int8)
    value_of[shown] = np.arange(len(shown))
    value_of_row = value_of[of_bearer][rows.bearer]
    most = _sum(tree, rows, value_of_row < 0)
    of_node = np.full(tree.n_nodes, -1, dtype=np.int32)
    for value in range(len(shown)):
        total = _sum(tree, rows, value_of_row == value)
        of_node[total > most] = value
        most = np.maximum(most, total)
    freeze(of_node)
    return BoxLabels(
        key,
        tuple(index.labels[label][1] for label in shown),
        tuple(by_label[label] for label in shown),
        int(sums.sum()) - sum(by_label[label] for label in shown),
        of_node,
    )


def _find_first_labels(index: LabelIndex, labels: Sequence[int]) -> Int32s:
    """Return the first of these labels that each bearer has: (n_bearers,); ``len(index.labels)`` =
    none."""
    is_wanted = np.zeros(len(index.labels), dtype=np.bool_)
    is_wanted[list(labels)] = True
    is_meant = is_wanted[index.label]
    bearer, label = index.bearer[is_meant], index.label[is_meant]
    order = np.argsort(-label, kind="stable")  # descending, so that the first label is put last
    of_bearer = np.full(index.n_bearers, len(index.labels), dtype=np.int32)
    of_bearer[bearer[order]] = label[order]
    return of_bearer


def _sum(tree: CallTree, rows: LabelledRows, which: Bools) -> Int64s:
    """Return the absolute total of the chosen rows at each node: (n_nodes,)."""
    own = np.zeros(tree.n_nodes, dtype=np.int64)
    nodes = np.ascontiguousarray(rows.node[which])
    _loops.sum_own(nodes, np.ascontiguousarray(rows.weight[which]), own)
    return np.abs(add_up(tree, own, "").total)
