"""Stays: the stretches of time in which a thread's stacks were open, collected event by event."""

from __future__ import annotations

from array import array

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import round_values

_AT_A_TIME = 1 << 16


def order_by_first(stacks: Int32s, n: int) -> Int64s:
    """Return the distinct numbers of a column, all below ``n``, in the order of first
    appearance."""
    first = np.full(n, len(stacks), dtype=np.int64)
    for begin in reversed(range(0, len(stacks), _AT_A_TIME)):
        part = stacks[begin : begin + _AT_A_TIME][::-1]
        # For equal numbers, the last assignment counts: that of the first place.
        first[part] = np.arange(begin + len(part) - 1, begin - 1, -1)
    order = np.argsort(first, kind="stable")
    return order[: np.count_nonzero(first < len(stacks))]


def number_by_first(keys: Int64s) -> tuple[Int64s, Int32s]:
    """Return the distinct keys in the order of first appearance, and (n,) the place of each key
    among them."""
    different, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    number_of = np.empty(len(order), dtype=np.int32)
    number_of[order] = np.arange(len(order), dtype=np.int32)
    numbers: Int32s = number_of[inverse]
    return different[order], numbers


class Stays:
    """Columns of stays; objects would take ten times the memory. Used by one thread."""

    def __init__(self) -> None:
        self._stack = array("i")
        self._begin, self._end = array("d"), array("d")

    def add(self, stack: int, begin: float, end: float) -> None:
        """Add a stay of ``stack`` from ``begin`` to ``end``, in any unit."""
        self._stack.append(stack)
        self._begin.append(begin)
        self._end.append(end)

    def sum_up(self) -> dict[int, float]:
        """Return the time of each stack, in the order of the stacks' first stays."""
        stacks = np.frombuffer(self._stack, dtype=np.int32)
        if not len(stacks):
            return {}
        begin, end = np.frombuffer(self._begin), np.frombuffer(self._end)
        sums = np.bincount(stacks, weights=end - begin)
        order = order_by_first(stacks, len(sums))
        return dict(zip(order.tolist(), sums[order].tolist(), strict=True))

    def add_times(
        self, samples: FrameSamples, sample_of: dict[int, int], factor: float, column: int, n: int
    ) -> None:
        """Add each stay as a time of the sample ``sample_of`` its stack. ``factor``: from the
        stays' unit to ns. The length is the value in ``column`` of ``n`` columns. Raises
        ContentError."""
        sample = np.zeros(max(sample_of, default=0) + 1, dtype=np.int32)
        sample[[*sample_of]] = [*sample_of.values()]
        samples.reserve_times(len(self._stack), n)
        for first in range(0, len(self._stack), _AT_A_TIME):
            part = slice(first, first + _AT_A_TIME)
            begin, end = (
                round_values(np.frombuffer(each[part]), factor) for each in (self._begin, self._end)
            )
            values = np.zeros((len(begin), n), dtype=np.int64)
            values[:, column] = end - begin
            stacks = np.frombuffer(self._stack[part], dtype=np.int32)
            samples.add_times(sample[stacks], begin, end, values)
