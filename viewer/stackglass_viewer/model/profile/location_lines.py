"""Lines of locations: finds their locations, counts them, spreads flags to them, drops some."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s, freeze
from stackglass_viewer.model.profile.profile import Locations


def find_line_owners(locations: Locations) -> Int64s:
    """Return the location of each line: (n_lines,)."""
    return np.repeat(np.arange(len(locations.address)), np.diff(locations.line_start))


def spread_flags(flags: Bools, locations: Locations) -> Bools:
    """Return the flag of each line's location: (n_lines,)."""
    return np.repeat(flags, np.diff(locations.line_start))


def count_lines(flags: Bools, locations: Locations) -> Int64s:
    """Return the number of lines with a flag in each location: (n_locations,). ``flags``:
    (n_lines,)."""
    sums = np.concatenate(([0], np.cumsum(flags, dtype=np.int64)))
    counts: Int64s = np.diff(sums[locations.line_start])
    return counts


def keep_lines(locations: Locations, keeps_line: Bools) -> Locations:
    """Return the locations with only the lines of the mask ``keeps_line``, (n_lines,)."""
    line_start = np.concatenate(([0], np.cumsum(count_lines(keeps_line, locations)))).astype(
        np.int32
    )
    kept = replace(
        locations,
        line_start=line_start,
        line_function=locations.line_function[keeps_line],
        line_number=locations.line_number[keeps_line],
        line_column=locations.line_column[keeps_line],
    )
    freeze(kept.line_start, kept.line_function, kept.line_number, kept.line_column)
    return kept
