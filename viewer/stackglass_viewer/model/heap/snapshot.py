"""Heap of a session at one moment (``HeapMoment``), and its values in the call tree.

To compare two moments::

    then = live.heap.capture(at_ns=marker_ns)     # LiveProfile; CLOCK_MONOTONIC
    now = live.heap.capture()
    grown = sum_own(now, HeapColumn.INUSE_SPACE, now.tree.n_nodes) \\
        - sum_own(then, HeapColumn.INUSE_SPACE, now.tree.n_nodes)     # (n_nodes,) bytes
    values = add_up(now.tree, grown, "bytes")     # call_tree; totals may be negative

Nodes and buckets keep their numbers for the whole session, so only their count differs: use the
tree of the moment that was captured last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.graph.transformed_tree import transform_tree
from stackglass_viewer.model.heap.buckets import (
    ALLOCS,
    FREES,
    HEAP_TYPES,
    HeapBuckets,
    HeapColumn,
    HeapSums,
    HeapValues,
    unsample,
)
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelIndex, match_labels
from stackglass_viewer.model.profile.label_values import LabelledValues, sum_bearers
from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class HeapMoment:
    """The heap of a session at one moment. Immutable."""

    tree: CallTree
    node_of_wire: Int32s  # (n_wire_nodes,) the tree's node for each of the engine's
    labels: LabelIndex  # its bearers are the label sets
    buckets: HeapBuckets
    sums: HeapSums
    since: HeapSums | None  # sums to subtract from allocations; None = none
    when: HeapWhen
    time_ns: int  # CLOCK_MONOTONIC: the time of ``sums``; 0 = the engine has not reported yet
    span_ns: int  # length of the span in which allocations are counted
    status: wire_pb2.HeapStatus | None  # the engine's last status, also for a past moment
    is_kept: Bools | None = None  # (n_buckets,) whether a bucket passes the filters; None = all

    @property
    def full_age_ns(self) -> int | None:
        """Time from the last full collection to the engine's last status; None = there was no full
        collection."""
        if self.status is None or not self.status.full_mono_ns:
            return None
        return max(self.status.time_mono_ns - self.status.full_mono_ns, 0)


def keep_labelled(moment: HeapMoment, labels: frozenset[LabelFilter]) -> HeapMoment:
    """Return the moment with zero sums in buckets that do not pass the label filters
    (``match_labels``); unchanged if ``labels`` is empty. Any thread."""
    if not labels:
        return moment
    is_kept = find_labelled(moment, labels)
    columns = np.where(is_kept, moment.sums.columns, 0)
    freeze(columns)
    return replace(moment, sums=HeapSums(columns))


def find_labelled(moment: HeapMoment, labels: frozenset[LabelFilter]) -> Bools:
    """Return the mask of the buckets that pass the label filters: (n_buckets,)."""
    is_kept: Bools = match_labels(moment.labels, labels)[moment.buckets.labels]
    return is_kept


def value_buckets(moment: HeapMoment) -> HeapValues:
    """Return the estimates of each bucket (``unsample``); 0 for buckets that are filtered out."""
    values = unsample(moment.buckets, moment.sums, moment.since)
    return values if moment.is_kept is None else HeapValues(values.columns * moment.is_kept)


def transform_heap(
    moment: HeapMoment, transforms: Sequence[Transform], wire_parent: Int32s
) -> HeapMoment:
    """Return the moment with some frames left out or merged. If the last function of a stack is
    merged into its caller, the stack ends in the caller. Any thread. Raises PatternError.

    ``wire_parent``: the parent of each of the engine's nodes, also of nodes later than the moment.
    """
    if not transforms:
        return moment
    transformed = transform_tree(moment.tree, transforms)
    node_of_wire = transformed.node_of[moment.node_of_wire]
    ends = transformed.find_ends(moment.node_of_wire, wire_parent)
    return replace(
        moment,
        tree=transformed.tree,
        node_of_wire=np.maximum(node_of_wire, 0),
        buckets=replace(moment.buckets, node=ends[moment.buckets.node]),
        is_kept=node_of_wire[moment.buckets.node] >= 0,
    )


def sum_own(moment: HeapMoment, column: HeapColumn, n_nodes: int | None = None) -> Int64s:
    """Return the objects or bytes of the stacks that end at each node: (n_nodes,). Any thread.

    ``n_nodes``: the number of nodes of a later moment's tree; None = of the moment's own.
    """
    own = np.zeros(moment.tree.n_nodes if n_nodes is None else n_nodes, dtype=np.int64)
    nodes = moment.node_of_wire[moment.buckets.node]
    _loops.sum_own(nodes, value_buckets(moment).columns[column], own)
    return own


def list_heap_labels(moment: HeapMoment, column: HeapColumn) -> LabelledValues:
    """Return one of the four values by label set, with the number of samples behind the estimate.
    Any thread."""
    unit = HEAP_TYPES[column].unit
    weights = value_buckets(moment).columns[column]
    n_taken = moment.sums.columns[ALLOCS]
    if column in (HeapColumn.INUSE_OBJECTS, HeapColumn.INUSE_SPACE):
        n_taken = n_taken - moment.sums.columns[FREES]
    elif moment.since is not None:
        n_taken = np.maximum(n_taken - moment.since.columns[ALLOCS], 0)
    return sum_bearers(moment.labels, moment.buckets.labels, weights, n_taken, unit)


def list_heap_rows(moment: HeapMoment, column: HeapColumn) -> LabelledRows:
    """Return the buckets where one of the four values is not 0, as rows of the tree. Any
    thread."""
    values = value_buckets(moment).columns[column]
    is_there = values != 0
    node = moment.node_of_wire[moment.buckets.node[is_there]]
    return LabelledRows(node, moment.buckets.labels[is_there], values[is_there])


def sum_heap(moment: HeapMoment, column: HeapColumn) -> NodeValues:
    """Sum one of the four values into the tree. Any thread."""
    return add_up(moment.tree, sum_own(moment, column), HEAP_TYPES[column].unit)
