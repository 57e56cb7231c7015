"""Where each node of a call tree stands in a flame graph, in value units, not pixels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from stackglass_viewer.model.call_tree import CallTree, NodeValues
from stackglass_viewer.model.index import Float64s, Int32s


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

    @property
    def n_rows(self) -> int:
        return len(self.row_start) - 1

    @property
    def extent(self) -> float:
        """The root's width: the right edge of everything."""
        return float(self.right[0]) if len(self.right) else 0.0


class Order(Enum):
    """How callees stand beside each other."""

    BY_VALUE = 0  # largest first
    BY_NAME = 1


def lay_out(tree: CallTree, values: NodeValues, order: Order = Order.BY_VALUE) -> FlameLayout:
    """Place the boxes of all nodes that have a value. Any thread."""
    n = tree.n_nodes
    size = np.abs(values.total).astype(np.float64)
    if order is Order.BY_NAME:
        rank = np.empty(len(tree.frame_name), dtype=np.int64)
        rank[sorted(range(len(rank)), key=lambda i: tree.frame_name[i])] = np.arange(len(rank))
        key = rank[tree.frame]
    else:
        key = -values.total
    place = np.zeros(n, dtype=np.int64)
    left = np.zeros(n)
    rows = [np.array([0])] if size[0] else []
    while rows and len(rows[-1]):
        place[rows[-1]] = np.arange(len(rows[-1]))
        kids = np.flatnonzero((tree.depth == len(rows)) & (values.total != 0))
        kids = kids[np.lexsort((key[kids], place[tree.parent[kids]]))]
        if not len(kids):
            break
        p = tree.parent[kids]
        before = np.concatenate(([0.0], np.cumsum(size[kids])[:-1]))
        first = np.concatenate(([True], p[1:] != p[:-1]))
        base = before[np.flatnonzero(first)][np.cumsum(first) - 1]
        left[kids] = left[p] + before - base
        rows.append(kids)
    node = np.concatenate(rows).astype(np.int32) if rows else np.zeros(0, np.int32)
    start = np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int32)
    box = np.full(n, -1, dtype=np.int32)
    box[node] = np.arange(len(node))
    return FlameLayout(start, left[node], left[node] + size[node], node, box)


def box_at(layout: FlameLayout, row: int, x: float) -> int:
    """The box of a row in which a value-unit coordinate lies; -1 = none."""
    if not 0 <= row < layout.n_rows:
        return -1
    first, last = int(layout.row_start[row]), int(layout.row_start[row + 1])
    box = first + int(np.searchsorted(layout.left[first:last], x, side="right")) - 1
    return box if box >= first and x < layout.right[box] else -1


def path_to(tree: CallTree, node: int) -> tuple[int, ...]:
    """The nodes from the root down to a node, both included."""
    path = []
    while node >= 0:
        path.append(node)
        node = int(tree.parent[node])
    return tuple(reversed(path))
