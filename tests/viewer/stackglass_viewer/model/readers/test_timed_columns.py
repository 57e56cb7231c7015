"""Times of samples: one by one, many at a time, in parts that were expected or not."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.profile.profile import SampleTimes
from stackglass_viewer.model.profile.sample_times import (
    TimedRows,
    cut_times,
    keep_times,
    repeat_number,
)
from stackglass_viewer.model.readers.stays import order_by_first
from stackglass_viewer.model.readers.timed_columns import TimedColumns

BEGINS = [50, 20, 20, 90, 70]
ENDS = [60, 40, 30, 80, 75]  # of which one is before its begin
EXPECTED = ([2, 1, 0, 4, 3], [0, 0, 30, 50, 70], [10, 20, 40, 55, 70])


def list_columns(times: SampleTimes | None) -> tuple[list[int], ...]:
    assert times is not None
    first, second = (column.tolist() for column in times.values)
    assert second == [10 * each for each in first]
    assert first == times.sample.tolist()
    return times.sample.tolist(), times.begin_ns.tolist(), times.end_ns.tolist()


def test_one_by_one() -> None:
    columns = TimedColumns()
    for sample, (begin, end) in enumerate(zip(BEGINS, ENDS, strict=True)):
        columns.add(sample, begin, end, [sample, 10 * sample])
    assert list_columns(columns.build()) == EXPECTED


@pytest.mark.parametrize("part", [1, 2, 5])
@pytest.mark.parametrize("expected", [0, 2, 5, 9])
def test_many_at_a_time(part: int, expected: int) -> None:
    columns = TimedColumns()
    columns.reserve(expected, 2)
    for first in range(0, len(BEGINS), part):
        begins, ends = (
            np.array(each[first : first + part], dtype=np.int64) for each in (BEGINS, ENDS)
        )
        samples = np.arange(first, first + len(begins), dtype=np.int32)
        values = np.stack((samples, 10 * samples), axis=1).astype(np.int64)
        columns.add_many(samples, begins, ends, values)
    assert list_columns(columns.build()) == EXPECTED


@pytest.mark.parametrize("part", [1, 2, 5])
def test_whole_columns(part: int) -> None:
    columns = TimedColumns()
    for first in range(0, len(BEGINS), part):
        begins, ends = (
            np.array(each[first : first + part], dtype=np.int64) for each in (BEGINS, ENDS)
        )
        samples = np.arange(first, first + len(begins), dtype=np.int32)
        values = tuple(factor * samples.astype(np.int64) for factor in (1, 10))
        columns.add_part(TimedRows(samples, begins, np.maximum(begins, ends), values))
    times = columns.build()
    assert list_columns(times) == EXPECTED
    assert times is not None
    assert [column.dtype for column in times.values] == [np.int32, np.int32]


def test_what_is_constant_takes_no_memory() -> None:
    columns = TimedColumns()
    for begins in ([50, 70], [20], []):
        moments = np.array(begins, dtype=np.int64)
        samples = np.zeros(len(moments), dtype=np.int32)
        large = moments * 2**40
        values = repeat_number(1, len(moments)), repeat_number(len(moments), len(moments)), large
        columns.add_part(TimedRows(samples, moments, moments, values))
    times = columns.build()
    assert times is not None
    assert times.begin_ns.tolist() == [0, 30, 50]
    assert times.end_ns is times.begin_ns
    assert [column.strides for column in times.values] == [(0,), (8,), (8,)]
    assert [column.tolist() for column in times.values] == [
        [1, 1, 1],
        [1, 2, 2],
        [20 * 2**40, 50 * 2**40, 70 * 2**40],
    ]
    kept = keep_times(times, np.array([False]))
    assert kept is not None
    assert [column.tolist() for column in kept.values] == [[], [], []]
    assert cut_times(times, 30, 60).values[0].strides == (0,)


def test_no_times_are_none() -> None:
    assert TimedColumns().build() is None


def test_numbers_by_their_first_place() -> None:
    found = order_by_first(np.array([7, 2, 7, 2, 0, 9], dtype=np.int32), 12)
    assert found.tolist() == [7, 2, 0, 9]
    many = np.arange(200_000, dtype=np.int32)[::-1] % 70_000
    assert order_by_first(many, 70_000).tolist() == list(dict.fromkeys(many.tolist()))
    assert order_by_first(many[:0], 3).tolist() == []
