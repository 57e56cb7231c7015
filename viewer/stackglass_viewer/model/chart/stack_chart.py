"""Stack chart: the calls of a thread over time, as a tree with a box for each call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.chart.stretches import Stretches, cut_lane
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.flame_layout import FlameLayout, thin_layout
from stackglass_viewer.native import _loops

MOST_STRETCHES = 300_000
"""Of more, what is too short to be seen is left out."""
_NO_SAMPLES = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class StackChart:
    """The calls of one lane between two moments."""

    calls: CallTree  # a node for each call, callers first; node 0 is the whole span
    values: NodeValues  # ns; flat is what a call was innermost, the total from its begin to its end
    layout: FlameLayout  # ns since ``begin_ns``
    begin_ns: int
    end_ns: int
    is_coarse: bool  # short calls are left out


def build_stack_chart(
    stretches: Stretches, lane: int, begin_ns: int, end_ns: int, most: int = MOST_STRETCHES
) -> StackChart:
    """``end_ns``: after ``begin_ns``. Any thread; mostly without the GIL."""
    node, begin, end = cut_lane(stretches, lane, begin_ns, end_ns)
    is_coarse = len(node) > most
    if is_coarse:
        node, begin, end = _thin_out(node, begin, end, (end_ns - begin_ns) / most)
    tree = stretches.tree
    columns = _loops.list_calls(
        tree.parent,
        tree.depth,
        np.ascontiguousarray(node),
        np.ascontiguousarray(begin),
        np.ascontiguousarray(end),
        stretches.gap_ns,
    )
    of_tree = np.asarray(columns["node"])
    call_begin, call_end = np.asarray(columns["begin"]).copy(), np.asarray(columns["end"]).copy()
    call_begin[0], call_end[0] = begin_ns, end_ns
    own, total = np.asarray(columns["own"]), call_end - call_begin
    calls = CallTree(
        parent=np.asarray(columns["parent"]),
        frame=tree.frame[of_tree],
        depth=tree.depth[of_tree],
        is_recursive=tree.is_recursive[of_tree],
        frame_name=tree.frame_name,
        frame_file=tree.frame_file,
        sample_node=_NO_SAMPLES,
        frame_line=tree.frame_line,
    )
    freeze(calls.frame, calls.depth, calls.is_recursive, total)
    layout = _lay_out(calls, call_begin - begin_ns, call_end - begin_ns)
    values = NodeValues(own, total, "nanoseconds")
    return StackChart(calls, values, layout, begin_ns, end_ns, is_coarse)


def _thin_out(
    node: Int32s, begin: Int64s, end: Int64s, cell_ns: float
) -> tuple[Int32s, Int64s, Int64s]:
    """Of the rows that begin in a cell the longest one, for all of their time."""
    cell = ((begin - begin[0]) / cell_ns).astype(np.int64)
    order = np.lexsort((begin - end, cell))  # the longest of each cell first
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = cell[order][1:] != cell[order][:-1]
    chosen = order[is_first]
    starts = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    ends = np.append(starts[1:], len(cell)) - 1
    return node[chosen], begin[starts], end[ends]


def _lay_out(calls: CallTree, left: Int64s, right: Int64s) -> FlameLayout:
    """Rows by depth; calls are in the order in which they begin."""
    order = np.argsort(calls.depth, kind="stable").astype(np.int32)
    n_rows = int(calls.depth.max()) + 1
    counts = np.bincount(calls.depth, minlength=n_rows)
    box_of_node = np.empty(len(order), dtype=np.int32)
    box_of_node[order] = np.arange(len(order), dtype=np.int32)
    layout = FlameLayout(
        row_start=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        left=left[order].astype(np.float64),
        right=right[order].astype(np.float64),
        node=order,
        box_of_node=box_of_node,
    )
    freeze(layout.row_start, layout.left, layout.right, layout.node, layout.box_of_node)
    return thin_layout(layout)
