"""Growing columns of timed samples: samples with a stretch of time and values.

A reader adds rows in one of three ways. Single rows go to growing arrays. Groups of rows go to
columns whose size the reader reserves first, so that they need not move. Complete columns are taken
over, without a copy unless there are several parts.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, Integers
from stackglass_viewer.model.profile.profile import SampleTimes
from stackglass_viewer.model.profile.sample_times import (
    LONGEST_NS,
    TimedRows,
    order_times,
    repeat_number,
)


class TimedColumns:
    """Collects rows in one of the three ways; all have the same number of values. Used by one
    thread."""

    def __init__(self) -> None:
        self._single_sample = array("i")
        self._single_begin, self._single_end = array("q"), array("q")
        self._single_values: list[array[int]] = []  # by sample type
        self._parts: list[TimedRows] = []
        self._n = 0  # rows of the columns
        self._sample = np.empty(0, dtype=np.int32)
        self._begin, self._end = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._values = np.empty((0, 0), dtype=np.int64)

    def add(self, sample: int, begin_ns: int, end_ns: int, values: Sequence[int]) -> None:
        """Add one row."""
        self._single_sample.append(sample)
        self._single_begin.append(begin_ns)
        self._single_end.append(max(begin_ns, end_ns))
        while len(self._single_values) < len(values):
            self._single_values.append(array("q"))
        for column, value in zip(self._single_values, values, strict=True):
            column.append(value)

    def reserve(self, more: int, n_types: int) -> None:
        """Make room for ``more`` rows."""
        needed = self._n + more
        if needed <= len(self._sample):
            return
        if self._n > more:  # avoid a copy for each of many small parts
            needed = max(needed, self._n * 3 // 2)
        earlier = self._sample, self._begin, self._end, *self._values
        self._sample = np.empty(needed, dtype=np.int32)
        self._begin, self._end = (np.empty(needed, dtype=np.int64) for _ in range(2))
        self._values = np.empty((n_types, needed), dtype=np.int64)
        if self._n:
            later = self._sample, self._begin, self._end, *self._values
            for column, known in zip(later, earlier, strict=True):
                column[: self._n] = known[: self._n]

    def add_many(self, samples: Int32s, begins_ns: Int64s, ends_ns: Int64s, values: Int64s) -> None:
        """Add rows: (n,) columns, and (n, n_types) values."""
        self.reserve(len(samples), values.shape[1])
        part = slice(self._n, self._n + len(samples))
        self._sample[part] = samples
        self._begin[part] = begins_ns
        np.maximum(begins_ns, ends_ns, out=self._end[part])
        self._values[:, part] = values.T
        self._n = part.stop

    def add_part(self, rows: TimedRows) -> None:
        """Add complete columns, and take ownership of them."""
        narrowed = tuple(map(_narrow, rows.values))
        self._parts.append(TimedRows(rows.sample, rows.begin_ns, rows.end_ns, narrowed))

    def build(self) -> SampleTimes | None:
        """Return the rows in order of time and empty the columns; None = no rows."""
        if self._parts:
            parts, self._parts = self._parts, []
            return order_times(_join(parts))
        rows = self._take_rows()
        begin, end = rows.begin_ns, rows.end_ns
        if len(begin) and int(end.max()) - int(begin.min()) < LONGEST_NS:
            first = begin.min()
            begin -= first  # in place: from here on, no copy is needed
            end -= first
        return order_times(rows)

    def _take_rows(self) -> TimedRows:
        if self._n:
            values = tuple(column[: self._n] for column in self._values)
            return TimedRows(
                self._sample[: self._n], self._begin[: self._n], self._end[: self._n], values
            )
        columns, self._single_values = self._single_values[::-1], []
        values = tuple(np.frombuffer(columns.pop(), dtype=np.int64) for _ in range(len(columns)))
        return TimedRows(
            np.frombuffer(self._single_sample, dtype=np.int32),
            np.frombuffer(self._single_begin, dtype=np.int64),
            np.frombuffer(self._single_end, dtype=np.int64),
            values,
        )


def _narrow(column: Integers) -> Integers:
    """Return the column as int32 if its numbers fit."""
    if not len(column) or column.strides == (0,) or column.dtype == np.int32:
        return column
    limits = np.iinfo(np.int32)
    fits = limits.min <= int(column.min()) and int(column.max()) <= limits.max
    return column.astype(np.int32) if fits else column


def _join(parts: list[TimedRows]) -> TimedRows:
    if len(parts) == 1:
        return parts[0]
    begin = np.concatenate([part.begin_ns for part in parts])
    is_instant = all(part.end_ns is part.begin_ns for part in parts)
    return TimedRows(
        np.concatenate([part.sample for part in parts]),
        begin,
        begin if is_instant else np.concatenate([part.end_ns for part in parts]),
        tuple(map(_join_columns, *(part.values for part in parts))),
    )


def _join_columns(*columns: Any) -> Integers:
    numbers = {int(column[0]) for column in columns if len(column)}
    if len(numbers) == 1 and all(column.strides == (0,) for column in columns):
        return repeat_number(numbers.pop(), sum(map(len, columns)))
    joined: Integers = np.concatenate(columns)
    return joined
