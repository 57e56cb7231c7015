"""Growth between two moments, and allocations in a span, by stack.

Growth is the memory in use at the later moment minus that at the earlier one; it is negative for
stacks with more freed than allocated. A block that is live at both moments is the same sample in
both, so it adds no noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from stackglass_viewer.model.columns.downsampling import AgedRows, sum_between
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.columns.source_lines import LineTables, find_lines
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.heap.buckets import (
    HEAP_TYPES,
    N_SUMS,
    HeapColumn,
    make_sums,
    unsample,
)
from stackglass_viewer.model.heap.snapshot import HeapMoment, find_labelled, value_buckets
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.native import _loops

WindowKind = Literal["growth", "span", "replay"]
"""``replay``: a span, with the memory that was in use at its end, as the live view showed it."""


@dataclass(frozen=True, slots=True)
class HeapWindow:
    """The two moments of a comparison. Units of 10 ms since the session's start."""

    kind: WindowKind
    after: int
    until: int | None  # None = now, which moves on


@dataclass(frozen=True, slots=True, eq=False)
class WindowView:
    """The growth or the allocations of a window, in the call tree. Immutable."""

    tree: CallTree
    values: NodeValues  # growth is negative for nodes with less memory at the end
    frame_line: Int64s  # (n_frames,) the line with the largest value; 0 = unknown
    grown: int  # sum of the positive values
    shrunk: int  # sum of the negative values, without the sign
    after: int  # units; the known moment nearest to the requested one
    until: int  # units


def compare_moments(
    earlier: HeapMoment, later: HeapMoment, column: HeapColumn, lines: LineTables
) -> tuple[NodeValues, Int64s, int, int]:
    """Return the growth between two moments: its values in the tree, (n_frames,) the hottest line
    of each function, and the sums of growing and of shrinking nodes, neither negative.

    ``later`` must have been captured after ``earlier``. Gains and losses of one node cancel out.
    Any thread.
    """
    change = np.ascontiguousarray(measure_growth(earlier, later)[column])
    return _sum_up(later, change, HEAP_TYPES[column].unit, lines)


def measure_growth(earlier: HeapMoment, later: HeapMoment) -> Int64s:
    """Return the growth of each bucket: (4, n_buckets) by HeapColumn. Any thread."""
    change = value_buckets(later).columns.copy()
    before = value_buckets(earlier).columns
    change[:, : before.shape[1]] -= before
    return change


def sum_allocations(
    tables: Tables[AgedRows],
    moment: HeapMoment,
    window: tuple[int, int],
    tids: frozenset[int] | None,
    column: HeapColumn,
    lines: LineTables,
    labels: frozenset[LabelFilter] = frozenset(),
) -> tuple[NodeValues, Int64s, int, int]:
    """Return the allocations of a span, from the engine's events, in the form of
    ``compare_moments``. Any thread."""
    values = measure_allocations(tables, moment, window, tids)[column]
    values = np.where(find_labelled(moment, labels), values, 0)
    return _sum_up(moment, values, HEAP_TYPES[column].unit, lines)


def measure_allocations(
    tables: Tables[AgedRows],
    moment: HeapMoment,
    window: tuple[int, int],
    tids: frozenset[int] | None,
) -> Int64s:
    """Return the allocations of each bucket in a span: (4, n_buckets) by HeapColumn. Any
    thread."""
    n_buckets = len(moment.buckets)
    sums = np.zeros((N_SUMS, n_buckets), dtype=np.int64)
    sums[:2] = sum_between(tables, n_buckets, 2, *window, tids)
    columns = unsample(moment.buckets, make_sums(sums, n_buckets)).columns
    return columns if moment.is_kept is None else columns * moment.is_kept


def list_span_rows(
    moment: HeapMoment, values: Int64s, column: HeapColumn
) -> tuple[NodeValues, LabelledRows]:
    """Return the allocations of a span, ``values`` (n_buckets,), in the tree, and as rows with
    their labels. Any thread."""
    own = np.zeros(moment.tree.n_nodes, dtype=np.int64)
    node = moment.node_of_wire[moment.buckets.node]
    _loops.sum_own(node, np.ascontiguousarray(values), own)
    is_there = values != 0
    rows = LabelledRows(node[is_there], moment.buckets.labels[is_there], values[is_there])
    return add_up(moment.tree, own, HEAP_TYPES[column].unit), rows


def _sum_up(
    moment: HeapMoment, change: Int64s, unit: str, lines: LineTables
) -> tuple[NodeValues, Int64s, int, int]:
    """Sum the change of each bucket, (n_buckets,), into the form of ``compare_moments``."""
    own = np.zeros(moment.tree.n_nodes, dtype=np.int64)
    _loops.sum_own(moment.node_of_wire[moment.buckets.node], change, own)
    grown, shrunk = int(own[own > 0].sum()), -int(own[own < 0].sum())
    frame_line = find_lines(lines, moment.buckets.node, change, len(moment.tree.frame_name))
    return add_up(moment.tree, own, unit), frame_line, grown, shrunk
