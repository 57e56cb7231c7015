"""Monotonic sums at moments, as of a counter: the average between any two moments is exact.

When there are too many moments, every second one of the older half is dropped. The averages between
the remaining moments do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Float64s, Int64s, freeze

MAX_MOMENTS = 1 << 15
"""Most moments: about nine hours at one per second."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """The sums at each moment. Immutable."""

    time_ns: Int64s  # (n,) since the session's start, ascending
    values: tuple[Int64s, ...]  # (n,) each, never decreasing


class GrowingSums:
    """Sums that grow by moments. One writer; the result of ``view`` is immutable."""

    def __init__(self, n_values: int, max_moments: int = MAX_MOMENTS) -> None:
        self._max_moments = max_moments
        self._columns = tuple(GrowingColumn(np.int64) for _ in range(1 + n_values))

    def add(self, time_ns: int, values: Sequence[int]) -> None:
        """Add a moment, unless it is not later than the last one. If a sum has decreased, drop all
        earlier moments."""
        row = (time_ns, *values)
        n = self._columns[0].n_rows
        if n:
            last = [int(column.view()[-1]) for column in self._columns]
            if time_ns <= last[0]:
                return
            if any(value < before for value, before in zip(row, last, strict=True)):
                self._columns = tuple(GrowingColumn(np.int64) for _ in row)
        for column, value in zip(self._columns, row, strict=True):
            column.extend(np.array([value]))
        if n >= self._max_moments:
            self._halve()

    def view(self) -> Sums:
        time_ns, *values = (column.view() for column in self._columns)
        return Sums(time_ns, tuple(values))

    def _halve(self) -> None:
        n_old = self._columns[0].n_rows // 4 * 2
        halved = []
        for column in self._columns:
            kept = GrowingColumn(np.int64)
            kept.extend(column.view()[0:n_old:2])
            kept.extend(column.view()[n_old:])
            halved.append(kept)
        self._columns = tuple(halved)


def average(sums: Sums, left_ns: float, right_ns: float, n_px: int) -> tuple[Float64s, Float64s]:
    """Return the average growth in ``n_px`` equal parts of a span: the middles of the parts in ns,
    (m,), and the increase of each sum per ns, (n_sums, m).

    A part without a moment is joined with the next one. The nearest moments outside the span are
    included, so that lines reach the edges of the span.
    """
    time_ns = sums.time_ns
    first = max(int(np.searchsorted(time_ns, left_ns, side="right")) - 1, 0)
    last = int(np.searchsorted(time_ns, right_ns, side="left")) + 1
    chosen: Int64s = np.arange(first, min(last, len(time_ns)))
    if len(chosen) > 2 * n_px and right_ns > left_ns:
        pixel = np.floor((time_ns[chosen] - left_ns) * (n_px / (right_ns - left_ns)))
        chosen = chosen[np.flatnonzero(np.diff(pixel, append=pixel[-1] + 1))]
    lengths = np.diff(time_ns[chosen]).astype(np.float64)
    middles: Float64s = time_ns[chosen][:-1] + lengths / 2
    averages: Float64s = np.array(
        [np.diff(column[chosen]) / lengths for column in sums.values], dtype=np.float64
    ).reshape(len(sums.values), len(lengths))
    freeze(middles, averages)
    return middles, averages
