"""Allocation rates by line of code: numbers the lines for the survey, and reads its counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, UInt32s, freeze
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.memory_trace.trace_index import (
    N_BINS,
    NO_LINE,
    OTHER_LINES,
    LineRates,
)
from stackglass_viewer.native import _loops

_MOST_LISTED = 512
_MOST_COUNTED = 1 << 22
"""Most pairs of line and time bin, some 40 bytes each. With more lines, bins are joined."""


class EndLines(NamedTuple):
    """The lines where stacks end. Line 0 is for allocations without a stack."""

    line_of: UInt32s  # (n_nodes,) line of each stack node
    location: Int64s  # (n_lines,) one of the locations of each line; ``NO_LINE`` for line 0

    @property
    def n_joined(self) -> int:
        """The number of time bins that are counted as one: a power of two."""
        n_joined = 1
        while len(self.location) * (N_BINS // n_joined) > _MOST_COUNTED and n_joined < N_BINS:
            n_joined *= 2
        return n_joined


def number_lines(known: DefinitionColumns) -> EndLines:
    """Number the lines. Locations with the same function, file and line number are one line."""
    locations, inverse = np.unique(known.node_location[1:], return_inverse=True)
    function = known.location_function[locations]
    keys = np.stack(
        (
            known.function_name[function].astype(np.int64),
            known.function_filename[function].astype(np.int64),
            known.location_line[locations],
        ),
        axis=1,
    )
    _, first, line = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    line_of = np.zeros(len(known.node_location), dtype=np.uint32)
    line_of[1:] = line.ravel()[inverse.ravel()] + 1
    location = np.concatenate((np.array([NO_LINE]), locations[first])).astype(np.int64)
    freeze(line_of, location)
    return EndLines(line_of, location)


def read_line_rates(
    replay: _loops.Replay, lines: EndLines, begin_ns: int, bin_ns: int
) -> LineRates:
    """Return the allocations by line and time. Only the largest lines have rows of their own; the
    others are summed into a last row."""
    columns = replay.take_line_rates()
    row, bins = np.asarray(columns["line"]), np.asarray(columns["bin"])
    n_column, size_column = np.asarray(columns["n"]), np.asarray(columns["bytes"])
    n_lines, n_bins = len(lines.location), N_BINS // lines.n_joined
    counted = np.bincount(row, minlength=n_lines)
    sums = np.bincount(row, weights=size_column, minlength=n_lines)
    order = np.argsort(-sums, kind="stable")
    order = order[counted[order] > 0]
    listed, rest = order[:_MOST_LISTED], order[_MOST_LISTED:]
    index_of = np.full(n_lines, len(listed), dtype=np.int64)
    index_of[listed] = np.arange(len(listed))
    n, size = (np.zeros((len(listed) + bool(len(rest)), n_bins), dtype=np.int64) for _ in range(2))
    np.add.at(n, (index_of[row], bins), n_column)
    np.add.at(size, (index_of[row], bins), size_column)
    location = np.append(lines.location[listed], [OTHER_LINES] * bool(len(rest))).astype(np.int64)
    edges = begin_ns + bin_ns * lines.n_joined * np.arange(n_bins + 1, dtype=np.int64)
    freeze(n, size, edges, location)
    return LineRates(edges, location, n, size)
