"""Hottest line of each function, which a table shows beside the function's file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class LineTables:
    """The engine's tree of stacks, with the function and line of each location. Immutable."""

    wire_parent: Int32s  # (n_wire_nodes,) parents first
    wire_location: Int32s  # (n_wire_nodes,)
    location_frame: Int32s  # (n_locations,) frame of its function in the call tree
    location_line: Int64s  # (n_locations,) 0 = unknown

    def __post_init__(self) -> None:
        freeze(self.wire_parent, self.wire_location, self.location_frame, self.location_line)


def find_lines(lines: LineTables, node: Int32s, value: Int64s, n_frames: int) -> Int64s:
    """Return each function's line with the largest total, callees included: (n_frames,); 0 =
    unknown, or the function has no value.

    ``node``: (n,) the engine's nodes; ``value``: (n,) their own values; the signs are ignored. May
    run in any thread.
    """
    total = np.zeros(len(lines.wire_parent), dtype=np.int64)
    _loops.sum_own(node, np.abs(value), total)
    parent = lines.wire_parent.copy()
    parent[:1] = -1
    _loops.add_up(parent, total)
    total[:1] = 0
    of_location = np.zeros(len(lines.location_line), dtype=np.int64)
    _loops.sum_own(lines.wire_location, total, of_location)
    by_value = np.argsort(of_location, kind="stable")
    by_value = by_value[of_location[by_value] > 0]
    found = np.zeros(n_frames, dtype=np.int64)
    found[lines.location_frame[by_value]] = lines.location_line[by_value]  # the largest is last
    freeze(found)
    return found
