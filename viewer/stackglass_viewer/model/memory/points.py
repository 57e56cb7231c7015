"""Lines of the memory timeline: resident, in use, and allocation rate.

A line that grows too long merges its old points in pairs. A merged point has the lowest and highest
value of both, so that no peak is lost. ``thin`` does the same for each pixel of the screen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s, freeze

MAX_POINTS = 1 << 16
"""Most points of a line: about two hours until its older half is first merged in pairs."""

RATE_UNITS = 10
"""Units of 10 ms in one bin of the allocation rate, until the bins double."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Values at moments. Immutable."""

    time: Int32s  # (n,) units of 10 ms since the session's start, ascending
    low: Int64s  # (n,)
    high: Int64s  # (n,) equal to ``low``, unless the point stands for several values


@dataclass(frozen=True, slots=True, eq=False)
class PixelTrace:
    """A line for the screen: the lowest and highest value in each pixel that has a point."""

    time: Float64s  # (n,) units, ascending
    low: Float64s  # (n,)
    high: Float64s  # (n,)


class PointLine:
    """A growing line. Not thread-safe; the points that ``view`` returns are immutable."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._time = GrowingColumn(np.int32)
        self._low = GrowingColumn(np.int64)
        self._high = GrowingColumn(np.int64)

    def __len__(self) -> int:
        return self._time.n_rows

    def add(self, time: int, value: int) -> None:
        """Add a value. ``time`` must not be before that of the last value."""
        for column, number in ((self._time, time), (self._low, value), (self._high, value)):
            column.extend(np.array([number]))
        if self._time.n_rows > self._max_points:
            self._halve()

    def view(self) -> Points:
        return Points(self._time.view(), self._low.view(), self._high.view())

    def _halve(self) -> None:
        """Merge the points of the older half in pairs; a merged point has the later time."""
        n_old = self._time.n_rows // 4 * 2
        time, low, high = self._time.view(), self._low.view(), self._high.view()
        self._time, self._low, self._high = (
            GrowingColumn(np.int32),
            GrowingColumn(np.int64),
            GrowingColumn(np.int64),
        )
        self._time.extend(time[1:n_old:2])
        self._low.extend(np.minimum(low[0:n_old:2], low[1:n_old:2]))
        self._high.extend(np.maximum(high[0:n_old:2], high[1:n_old:2]))
        self._time.extend(time[n_old:])
        self._low.extend(low[n_old:])
        self._high.extend(high[n_old:])


class AllocationRate:
    """Bytes allocated in bins of a tenth of a second; the bins double when there are too many."""

    def __init__(self, max_bins: int = 1 << 18) -> None:
        self._max_bins = max_bins
        self._bytes = np.zeros(1024, dtype=np.float64)
        self.span = RATE_UNITS  # units

    def add(self, time: Int64s, n_bytes: Int64s) -> None:
        """Add bytes at times, (n,) units; the times may be in the past."""
        if len(time) == 0:
            return
        last = int(time.max())
        while last // self.span >= self._max_bins:
            self._bytes = self._bytes.reshape(-1, 2).sum(axis=1)
            self.span *= 2
        n_bins = last // self.span + 1
        if n_bins > len(self._bytes):
            room = np.zeros(1 << n_bins.bit_length(), dtype=np.float64)
            room[: len(self._bytes)] = self._bytes
            self._bytes = room
        np.add.at(self._bytes, time // self.span, n_bytes)

    def view(self, first: int, now: int) -> tuple[Float64s, Float64s]:
        """Return the times in units, (n,), and the bytes per second, (n,), of all finished bins,
        as copies. The time of a bin is its middle.
        """
        begin, end = max(first, 0) // self.span, max(now, 0) // self.span
        end = min(end, len(self._bytes))
        time: Float64s = np.arange(begin, max(begin, end), dtype=np.float64)
        return (time + 0.5) * self.span, self._bytes[begin : max(begin, end)] * (100 / self.span)


def thin(
    time: Int32s | Float64s,
    low: Int64s | Float64s,
    high: Int64s | Float64s,
    left: float,
    right: float,
    n_px: int,
) -> PixelTrace:
    """Return the lowest and highest value in each of ``n_px`` equal parts of a span, in units.

    Parts without a point are left out. The nearest points outside the span are added, so that the
    line crosses the edges of the span at the right height.
    """
    first = max(int(np.searchsorted(time, left, side="left")) - 1, 0)
    last = int(np.searchsorted(time, right, side="right")) + 1
    time, low, high = time[first:last], low[first:last], high[first:last]
    if len(time) > 2 * n_px and right > left:
        pixel = np.floor((time - left) * (n_px / (right - left))).astype(np.int64)
        starts = np.flatnonzero(np.diff(pixel, prepend=pixel[0] - 1))
        time = time[starts]
        low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    columns = tuple(column.astype(np.float64) for column in (time, low, high))
    freeze(*columns)
    return PixelTrace(*columns)
