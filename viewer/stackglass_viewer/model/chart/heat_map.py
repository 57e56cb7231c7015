"""Subsecond-offset heat map, as in FlameScope: a column is a second, a cell is 20 ms of it.

::

    ms   0  ░ ▒ ▓ █ ░
        20  ░ ░ ▓ █ ░      patterns within a second, and from one second to the next
        40  ▒ ░ ░ █ ░
             0 1 2 3 4 s

Of old samples of a capture, only the second is known. All cells of such a column have its average,
so that the map shows no pattern that was not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.chart.stretches import Stretches
from stackglass_viewer.model.columns.index import Float64s, Int64s, freeze

CELL_NS = 20_000_000
CELLS_A_COLUMN = 50
COLUMN_NS = CELL_NS * CELLS_A_COLUMN
MOST_COLUMNS = 3600
"""One hour. The map of a longer time shows its last hour."""


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """The average number of busy threads in each cell."""

    heat: Float64s  # (n_columns, CELLS_A_COLUMN)
    most: float  # the largest heat
    begin_ns: int  # begin of the first cell
    n_untimed: int = 0  # first columns, of which no times are known
    n_averaged: int = 0  # first columns in which all cells have the average of their second

    @property
    def n_columns(self) -> int:
        return len(self.heat)


def build_heat_map(
    stretches: Stretches, lanes: Sequence[int], is_heat: Sequence[bool] = ()
) -> HeatMap:
    """Return the heat map of some lanes. ``is_heat[kind]``: whether stretches of this kind count;
    kind -1 and kinds beyond the end always count. Any thread."""
    first_ns = stretches.first_ns // COLUMN_NS * COLUMN_NS
    n_columns = max(-(-(stretches.last_ns - first_ns) // COLUMN_NS), 1)
    if n_columns > MOST_COLUMNS:
        first_ns += (n_columns - MOST_COLUMNS) * COLUMN_NS
        n_columns = MOST_COLUMNS
    n_cells = n_columns * CELLS_A_COLUMN
    covered = np.zeros(n_cells + 1)
    for lane in lanes:
        rows = stretches.slice_lane(lane)
        kind = stretches.kind[rows]
        counts = np.array([*is_heat, True], dtype=np.bool_)[np.minimum(kind, len(is_heat))]
        counts[kind < 0] = True
        begin = stretches.begin_ns[rows][counts] - first_ns
        end = stretches.find_ends(rows)[counts] - first_ns
        _cover(covered, np.maximum(begin, 0), np.maximum(end, 0))
    heat = (covered[:n_cells] / CELL_NS).reshape(n_columns, CELLS_A_COLUMN)
    timed_ns, exact_ns = stretches.precision
    n_untimed, n_averaged = (
        min(max((edge_ns - first_ns) // COLUMN_NS, 0), n_columns)
        for edge_ns in (timed_ns, exact_ns)
    )
    heat[:n_averaged] = heat[:n_averaged].mean(axis=1, keepdims=True)
    freeze(heat)
    return HeatMap(heat, float(heat.max()), first_ns, n_untimed, n_averaged)


def _cover(covered: Float64s, begin: Int64s, end: Int64s) -> None:
    """Add to each cell the time that rows cover in it: (n_cells + 1,) ns."""
    last = len(covered) - 2
    first_cell = np.minimum(begin // CELL_NS, last + 1)
    last_cell = np.minimum(np.maximum(end - 1, begin) // CELL_NS, last + 1)
    is_inside = first_cell == last_cell
    np.add.at(covered, first_cell[is_inside], (end - begin)[is_inside])
    first_cell, last_cell = first_cell[~is_inside], last_cell[~is_inside]
    begin, end = begin[~is_inside], end[~is_inside]
    np.add.at(covered, first_cell, (first_cell + 1) * CELL_NS - begin)
    np.add.at(covered, last_cell, end - last_cell * CELL_NS)
    steps = np.zeros(len(covered) + 1)  # whole cells between
    np.add.at(steps, first_cell + 1, 1)
    np.add.at(steps, last_cell, -1)
    covered += np.cumsum(steps)[: len(covered)] * CELL_NS
    covered[last + 1] = 0  # this extra cell has collected the time after the last cell
