"""Stack chart: the calls of a thread over time, as a tree with a box for each call.

Neighbouring stretches with a common prefix of their stacks share the calls of that prefix. If there
would be too many calls, the shortest stretches are left out first (``_thin_out``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.chart.call_kinds import find_call_kinds
from stackglass_viewer.model.chart.stretches import Stretches, cut_lane
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import NO_SAMPLES, CallTree, NodeValues
from stackglass_viewer.model.graph.flame_layout import FlameLayout, thin_layout
from stackglass_viewer.native import _loops

MOST_STRETCHES = 300_000
MOST_CALLS = 3_000_000
"""Limits of a chart. Above a limit the shortest stretches are left out. A call takes some 60 bytes,
and twice as many while its chart is made."""
LIVE_CALLS = 250_000
"""Most calls in the chart of a process, which is made again each second."""
_PIECES, _PIECE = 8, 1_000  # the number of calls is estimated from 8 pieces of 1000 stretches
_MOST_PIECE_CALLS = 1_000_000
"""Limit of the calls of a piece: of very deep stacks, pieces have fewer stretches."""
_TRIES = 3  # each thins out further


@dataclass(frozen=True, slots=True, eq=False)
class StackChart:
    """The calls of one lane between two moments."""

    calls: CallTree  # a node for each call, callers first; node 0 is the whole span
    values: NodeValues  # ns; flat: while the call was innermost; total: from its begin to its end
    layout: FlameLayout  # ns since ``begin_ns``
    kind: Int32s  # (n_calls,) what the thread did for most of the call, as in ``Stretches``
    begin_ns: int
    end_ns: int
    is_coarse: bool  # short calls are left out


def build_stack_chart(
    stretches: Stretches,
    lane: int,
    begin_ns: int,
    end_ns: int,
    most: int = MOST_STRETCHES,
    most_calls: int = MOST_CALLS,
) -> StackChart:
    """Return the chart of a lane from ``begin_ns`` to ``end_ns``, which must be later.

    It has at most ``most`` stretches and about ``most_calls`` calls. Any thread; the GIL is mostly
    released.
    """
    rows = cut_lane(stretches, lane, begin_ns, end_ns)
    n_stretches = len(rows[0])
    if n_stretches > most:
        rows = _thin_out(*rows, (end_ns - begin_ns) / most)
    for _ in range(_TRIES):  # thinned-out neighbours share fewer calls than estimated
        n_calls = _estimate_calls(stretches, *rows)
        if n_calls <= most_calls:
            break
        n_kept = max(len(rows[0]) * most_calls // n_calls, 1)
        rows = _thin_out(*rows, (end_ns - begin_ns) / n_kept)
    is_coarse = len(rows[0]) < n_stretches
    tree = stretches.tree
    columns = _list_calls(stretches, *rows)
    tree_node = columns["node"]
    call_begin, call_end = columns["begin"].copy(), columns["end"].copy()
    call_begin[0], call_end[0] = begin_ns, end_ns
    own, total = columns["own"], call_end - call_begin
    calls = CallTree(
        parent=columns["parent"],
        frame=tree.frame[tree_node],
        depth=tree.depth[tree_node],
        is_recursive=tree.is_recursive[tree_node],
        frame_name=tree.frame_name,
        frame_file=tree.frame_file,
        sample_node=NO_SAMPLES,
        frame_line=tree.frame_line,
    )
    freeze(calls.frame, calls.depth, calls.is_recursive, total)
    layout = _lay_out(calls, call_begin - begin_ns, call_end - begin_ns)
    values = NodeValues(own, total, "nanoseconds")
    kind = find_call_kinds(stretches, lane, call_begin, call_end)
    return StackChart(calls, values, layout, kind, begin_ns, end_ns, is_coarse)


def _list_calls(
    stretches: Stretches, node: Int32s, begin: Int64s, end: Int64s
) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of the calls in some rows; call 0 is the whole. See ``_loops.pyi``."""
    tree = stretches.tree
    made = _loops.list_calls(
        tree.parent,
        tree.depth,
        np.ascontiguousarray(node),
        np.ascontiguousarray(begin),
        np.ascontiguousarray(end),
        stretches.gap_ns,
    )
    return {name: np.asarray(column) for name, column in made.items()}


def _estimate_calls(stretches: Stretches, node: Int32s, begin: Int64s, end: Int64s) -> int:
    """Return the number of calls that the stretches make; extrapolated if there are many."""
    depth = stretches.tree.depth
    length = max(min(_PIECE, _MOST_PIECE_CALLS // max(int(depth.max()), 1)), 2)
    if len(node) <= _PIECES * length:
        return len(_list_calls(stretches, node, begin, end)["node"])
    firsts = np.linspace(0, len(node) - length, _PIECES).astype(np.int64).tolist()
    pieces = [slice(first, first + length) for first in firsts]
    made = (_list_calls(stretches, node[at], begin[at], end[at])["node"] for at in pieces)
    # The first stretch of a piece makes all the calls of its stack, which the others may continue.
    first_calls = sum(1 + int(depth[node[first]]) for first in firsts)
    n_calls = sum(len(calls) for calls in made) - first_calls
    return n_calls * len(node) // (_PIECES * (length - 1))


def _thin_out(
    node: Int32s, begin: Int64s, end: Int64s, cell_ns: float
) -> tuple[Int32s, Int64s, Int64s]:
    """Replace the rows that begin in one cell of ``cell_ns`` by one row: the node of the longest,
    from the begin of the first to the end of the last."""
    cell = ((begin - begin[0]) / cell_ns).astype(np.int64)
    order = np.lexsort((begin - end, cell))  # the longest of each cell first
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = cell[order][1:] != cell[order][:-1]
    chosen = order[is_first]
    starts = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    ends = np.append(starts[1:], len(cell)) - 1
    return node[chosen], begin[starts], end[ends]


def _lay_out(calls: CallTree, left: Int64s, right: Int64s) -> FlameLayout:
    """Lay the calls out in rows by depth, each row in the order in which its calls begin."""
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
