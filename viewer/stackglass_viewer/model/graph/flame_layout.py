"""Flame graph layout: the box of each node of a call tree, in value units, not pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.native import _loops

_THIN_FROM = 1 << 18  # boxes; fewer fit the processor's caches, so thinning would save little
_N_CELLS = 4096  # more than the width of most screens in pixels
_NOTHING = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class ThinBoxes:
    """A large layout reduced to the pixels of a screen: boxes at least as wide as a cell, and one
    box for all narrower boxes that share a cell."""

    cell: float  # width in value units; a picture with pixels at least as wide can use these boxes
    row_start: Int32s  # (n_rows + 1,)
    left: Float64s  # (n,)
    right: Float64s  # (n,)
    node: Int32s  # (n,) for a merged box the widest of its first few nodes


@dataclass(frozen=True, slots=True, eq=False)
class FlameLayout:
    """Boxes by row, root row first; within a row from left to right, never overlapping.

    The boxes of row ``r`` are ``row_start[r]:row_start[r + 1]``. A node without value has no box.
    """

    row_start: Int32s  # (n_rows + 1,)
    left: Float64s  # (n_boxes,) value units; 0 = left edge of the root
    right: Float64s  # (n_boxes,)
    node: Int32s  # (n_boxes,) node of the call tree
    box_of_node: Int32s  # (n_nodes,) -1 = has no box
    thin: ThinBoxes | None = None  # None = there are few boxes

    @property
    def n_rows(self) -> int:
        return len(self.row_start) - 1

    @property
    def extent(self) -> float:
        """The root's width: the right edge of everything."""
        return float(self.right[0]) if len(self.right) else 0.0


class Order(Enum):
    """The order of callees beside each other."""

    BY_VALUE = 0  # largest first
    BY_NAME = 1
    BY_TIME = 2  # first seen first


def lay_out(
    tree: CallTree,
    values: NodeValues,
    order: Order = Order.BY_VALUE,
    first: Int64s | None = None,
    before: Int32s | None = None,
) -> FlameLayout:
    """Place the boxes of all nodes that have a value. May run in any thread; its loop runs without
    the GIL.

    If values are differences, the width of a box is the sum of the absolute values of its subtree.
    So losses are drawn like gains, and no child is wider than its parent.

    ``first``: (n_nodes,) the time of each node's first sample, for the order by time; None = the
    nodes are numbered by time. ``before``: (n_nodes,) earlier places for the order by value, from
    ``KeptOrder.find``; None = exactly by value.
    """
    size = values.total
    if len(values.own) and int(values.own.min()) < 0:
        size = add_up(tree, np.abs(values.own), values.unit).total
    return lay_out_sizes(tree, size, order, first, before)


def lay_out_sizes(
    tree: CallTree,
    size: Int64s,
    order: Order = Order.BY_VALUE,
    first: Int64s | None = None,
    before: Int32s | None = None,
) -> FlameLayout:
    """Place the boxes like ``lay_out``, with the widths ``size``, (n_nodes,), none negative. May
    run in any thread."""
    frame, is_by_rank = tree.frame, order is not Order.BY_VALUE
    rank = np.zeros(len(tree.frame_name), np.int32)
    if order is Order.BY_NAME:
        rank = _rank(tree.frame_name)
    elif order is Order.BY_TIME:  # each node is ranked by itself
        frame = np.arange(tree.n_nodes, dtype=np.int32)
        rank = frame if first is None else _rank_times(first)
    places = _NOTHING if before is None else before
    columns = _loops.lay_out(tree.parent, frame, size, rank, is_by_rank, places)
    layout = FlameLayout(
        row_start=np.asarray(columns["row_start"]),
        left=np.asarray(columns["left"]),
        right=np.asarray(columns["right"]),
        node=np.asarray(columns["node"]),
        box_of_node=np.asarray(columns["box_of_node"]),
    )
    return thin_layout(layout)


def drop_narrow(layout: FlameLayout, least: float) -> FlameLayout:
    """Leave out the boxes narrower than this share of the root. May run in any thread.

    No box is wider than its parent's, so all boxes below a narrow box are left out as well.
    """
    is_kept = layout.right - layout.left >= least * layout.extent
    if is_kept.all():
        return layout
    n_kept = np.concatenate(([0], np.cumsum(is_kept)))
    row_start = n_kept[layout.row_start]
    n_rows = int(np.count_nonzero(np.diff(row_start)))  # below an empty row all rows are empty
    node = layout.node[is_kept]
    box_of_node = np.full(len(layout.box_of_node), -1, dtype=np.int32)
    box_of_node[node] = np.arange(len(node), dtype=np.int32)
    columns = (
        row_start[: n_rows + 1].astype(np.int32),
        layout.left[is_kept],
        layout.right[is_kept],
        node,
        box_of_node,
    )
    freeze(*columns)
    return thin_layout(FlameLayout(*columns))


def thin_layout(layout: FlameLayout) -> FlameLayout:
    """Return the layout, with a reduced one in ``thin`` if it has many boxes. May run in any
    thread."""
    if len(layout.node) < _THIN_FROM:
        return layout
    return replace(layout, thin=thin_out(layout, layout.extent / _N_CELLS))


def thin_out(layout: FlameLayout, cell: float) -> ThinBoxes:
    """Merge boxes within cells of the width ``cell``, in value units. May run in any thread; its
    loop runs without the GIL."""
    columns = _loops.thin_out(layout.row_start, layout.left, layout.right, layout.node, cell)
    return ThinBoxes(
        cell=cell,
        row_start=np.asarray(columns["row_start"]),
        left=np.asarray(columns["left"]),
        right=np.asarray(columns["right"]),
        node=np.asarray(columns["node"]),
    )


def _rank_times(first: Int64s) -> Int32s:
    """Return the rank of each node by time: (n_nodes,)."""
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return rank


def _rank(names: Sequence[str]) -> Int32s:
    """Return the rank of each frame in alphabetical order: (n_frames,)."""
    rank = np.empty(len(names), dtype=np.int32)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.int32)
    return rank


def box_at(layout: FlameLayout, row: int, x: float) -> int:
    """Return the box of a row at a coordinate in value units; -1 = none."""
    if not 0 <= row < layout.n_rows:
        return -1
    first, last = int(layout.row_start[row]), int(layout.row_start[row + 1])
    box = first + int(np.searchsorted(layout.left[first:last], x, side="right")) - 1
    return box if box >= first and x < layout.right[box] else -1


def path_to(tree: CallTree, node: int) -> tuple[int, ...]:
    """Return the nodes from the root down to a node, both included."""
    path = []
    while node >= 0:
        path.append(node)
        node = int(tree.parent[node])
    return tuple(reversed(path))
