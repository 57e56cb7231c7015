"""Stays: how long each stack was open, and when, while the events of a thread are read."""

from __future__ import annotations

from array import array

from stackglass_viewer.model.readers.frame_profile import FrameSamples


class Stays:
    """One row a stay, in columns: objects would take ten times the memory. One thread."""

    def __init__(self) -> None:
        self._stack = array("i")
        self._begin, self._end = array("d"), array("d")

    def add(self, stack: int, begin: float, end: float) -> None:
        """A stack was open from one moment to another, in any unit."""
        self._stack.append(stack)
        self._begin.append(begin)
        self._end.append(end)

    def sum_up(self) -> dict[int, float]:
        """The time of each stack, in the order of their first stay."""
        sums: dict[int, float] = {}
        for stack, begin, end in zip(self._stack, self._begin, self._end, strict=True):
            sums[stack] = sums.get(stack, 0.0) + end - begin
        return sums

    def add_times(
        self, samples: FrameSamples, sample_of: dict[int, int], factor: float, column: int, n: int
    ) -> None:
        """Each stay as a time of the sample that has its stack. ``factor``: to ns; its length is
        the value in one of ``n`` columns. Raises ProfileError."""
        values = [0] * n
        for stack, begin, end in zip(self._stack, self._begin, self._end, strict=True):
            begin_ns, end_ns = round(begin * factor), round(end * factor)
            values[column] = end_ns - begin_ns
            samples.add_time(sample_of[stack], begin_ns, end_ns, values)
