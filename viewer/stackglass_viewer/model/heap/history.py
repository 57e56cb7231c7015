"""Heap history: the buckets' sums at any moment of a session, as key frames and changes::

    time ──▶  [whole]  ·  ·  ·  ·  [whole]  ·  ·  ·
                       └─ buckets that changed, and their new sums

A moment between two steps has the sums of the earlier step. When there are too many rows, the steps
of the older half are merged in pairs, so that old times get coarser.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, Integers, UInt16s, freeze
from stackglass_viewer.model.heap.buckets import N_SUMS, HeapSums, make_sums

_MAX_ROWS = 4_000_000  # some 80 MB with 32-bit sums, 150 MB with 64-bit sums
_MIN_ROWS_BETWEEN = 4096  # changed rows between two key frames

Places = Int32s | UInt16s
"""Numbers of buckets, 16 bits wide if these suffice."""


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """The changes reported at one moment."""

    time_ns: int  # CLOCK_MONOTONIC
    buckets: Places | None  # (n,) buckets that changed, ascending; None = a key frame, all buckets
    columns: Integers  # (4, n) the buckets' sums from then on

    def __len__(self) -> int:
        return int(self.columns.shape[1])


class HeapHistory:
    """The steps of a session. The owner's lock guards all methods."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._n_rows = 0
        self._n_since_whole = 0  # rows since the last key frame
        self.exact_from_ns = 0  # CLOCK_MONOTONIC; steps before it may have been merged

    @property
    def times_ns(self) -> list[int]:
        """The time of each step, CLOCK_MONOTONIC, ascending."""
        return [step.time_ns for step in self._steps]

    @property
    def first_ns(self) -> int | None:
        """The time of the first step, CLOCK_MONOTONIC; None = there is none yet."""
        return self._steps[0].time_ns if self._steps else None

    def add(self, time_ns: int, changed: Int32s, sums: Int64s) -> None:
        """Add a step. ``changed``: (n,) the buckets that changed, ascending; ``sums``: (4,
        n_buckets) the sums of all buckets."""
        if self._steps and time_ns <= self._steps[-1].time_ns:
            time_ns = self._steps[-1].time_ns  # the clock has not moved
        if not self._steps or self._n_since_whole + len(changed) > max(
            sums.shape[1], _MIN_ROWS_BETWEEN
        ):
            step = _make_step(time_ns, None, sums)
            self._n_since_whole = 0
        else:
            step = _make_step(time_ns, changed, sums[:, changed])
            self._n_since_whole += len(changed)
        self._steps.append(step)
        self._n_rows += len(step)
        if self._n_rows > _MAX_ROWS:
            self._thin()

    def at(self, time_ns: int, n_buckets: int) -> HeapSums:
        """Return the sums of ``n_buckets`` at a moment; 0 for buckets that did not exist yet."""
        end = bisect_right(self._steps, time_ns, key=lambda step: step.time_ns)
        begin = end - 1
        while begin > 0 and self._steps[begin].buckets is not None:
            begin -= 1
        whole = np.zeros((N_SUMS, n_buckets), dtype=np.int64)
        for step in self._steps[max(begin, 0) : end]:
            if step.buckets is None:
                whole[:, : len(step)] = step.columns
            else:
                whole[:, step.buckets] = step.columns
        return make_sums(whole, n_buckets)

    def _thin(self) -> None:
        """Merge the steps of the older half in pairs until there is room. The first step is not
        merged, since spans begin with it."""
        while self._n_rows > _MAX_ROWS * 3 // 4 and len(self._steps) >= 4:
            end = len(self._steps) // 4 * 2 + 1
            self.exact_from_ns = self._steps[end - 1].time_ns
            pairs = zip(self._steps[1:end:2], self._steps[2:end:2], strict=True)
            self._steps[1:end] = [_merge(earlier, later) for earlier, later in pairs]
            self._n_rows = sum(len(step) for step in self._steps)


def _make_step(time_ns: int, buckets: Places | None, columns: Integers) -> _Step:
    """Return a step with a copy of the columns, in the narrowest dtypes that hold its numbers. Most
    steps have small numbers."""
    is_small = int(columns.max(initial=0)) <= np.iinfo(np.int32).max  # none is negative
    sums: Integers = columns.astype(np.int32) if is_small else columns.astype(np.int64)
    freeze(sums)
    if buckets is None:
        return _Step(time_ns, None, sums)
    is_small = int(buckets.max(initial=0)) <= np.iinfo(np.uint16).max
    places: Places = buckets.astype(np.uint16) if is_small else buckets.astype(np.int32)
    freeze(places)
    return _Step(time_ns, places, sums)


def _merge(earlier: _Step, later: _Step) -> _Step:
    """Return one step with the changes of both, at the later step's time."""
    if later.buckets is None:
        return later
    if earlier.buckets is None:
        n_buckets = max(len(earlier), int(later.buckets.max(initial=0)) + 1)
        columns = np.zeros((N_SUMS, n_buckets), dtype=np.int64)
        columns[:, : len(earlier)] = earlier.columns
        columns[:, later.buckets] = later.columns
        return _make_step(later.time_ns, None, columns)
    buckets = np.concatenate((later.buckets, earlier.buckets))
    unique, first = np.unique(buckets, return_index=True)  # the first row is the later step's
    joined = np.concatenate((later.columns, earlier.columns), axis=1).astype(np.int64)
    return _make_step(later.time_ns, unique, joined[:, first])
