"""Where each node of a call tree stands in a flame graph, in value units, not pixels."""

from __future__ import annotations

from dataclasses import dataclass

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
