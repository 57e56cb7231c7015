"""Lines of a profile as rows of function and line number, and the stacks of samples as such rows.

::

    stack   leaf first   7 7 2 0 │ 5 2 0      a sample's rows
    function, line of row 7                   "parse", app.py, line 12
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.profile.frames import FrameTable, name_frames
from stackglass_viewer.model.profile.profile import Profile


@dataclass(frozen=True, slots=True, eq=False)
class LineTable:
    """One row for each line of each location, also for lines without a name."""

    frames: FrameTable
    frame: Int32s  # (n_lines,) frame
    line: Int64s  # (n_lines,) 0 = unknown


def list_lines(profile: Profile) -> LineTable:
    """Return the table. Rows are in the order of locations, the innermost line first."""
    frames = name_frames(profile)
    locations = profile.locations
    n_lines = np.diff(locations.line_start)
    line = np.zeros(len(frames.line_frame), np.int64)
    if len(locations.line_number):
        # A location without lines has one row here, which has no number.
        shift = frames.line_start[:-1] - locations.line_start[:-1]
        line[np.arange(len(locations.line_number)) + np.repeat(shift, n_lines)] = (
            locations.line_number
        )
    freeze(line)
    return LineTable(frames, frames.line_frame, line)


def expand_stacks(stack: Int32s, start: Int64s, frames: FrameTable) -> tuple[Int64s, Int64s]:
    """Return all rows of stacks, leaf first, (n,), and where each stack begins, (n_stacks + 1,).
    ``stack``: (m,) location; ``start``: (n_stacks + 1,)."""
    first = frames.line_start[stack].astype(np.int64)
    n_lines = frames.line_start[stack + 1] - first
    ends = np.concatenate(([0], np.cumsum(n_lines)))
    row = np.repeat(first - ends[:-1], n_lines) + np.arange(ends[-1])
    return row, ends[start]
