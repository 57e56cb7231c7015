"""Times of samples as bytes: columns that share memory share it again; no rows are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stackglass_viewer.model.profile.profile import Profile, SampleTimes
from stackglass_viewer.model.profile.sample_times import TimedRows, order_times, repeat_number
from stackglass_viewer.model.readers import opener
from stackglass_viewer.model.session.time_columns import decode_times, encode_times


def read_profile() -> Profile:
    """One sample of one type."""
    profile = opener.open_content(b"main;work 6\n", "stacks.txt")
    assert isinstance(profile, Profile)
    return profile


def make_moments(*values: int) -> SampleTimes:
    moments = np.arange(100, 100 + len(values), dtype=np.int64)
    sample = np.zeros(len(values), np.int32)
    made = order_times(TimedRows(sample, moments, moments, (np.array(values, np.int64),)))
    assert made is not None
    return made


def test_moments_without_length_stay_one_array() -> None:
    times = make_moments(3, -1, 4)
    assert times.end_ns is times.begin_ns
    got = decode_times(encode_times(times), read_profile())
    assert got.end_ns is got.begin_ns
    assert got.begin_ns.tolist() == [0, 1, 2]
    assert [column.tolist() for column in got.values] == [[3, -1, 4]]


def test_a_constant_column_takes_one_number() -> None:
    times = replace(make_moments(1, 1, 1), values=(repeat_number(1, 3),))
    got = decode_times(encode_times(times), read_profile())
    assert got.values[0].strides == (0,)
    assert got.values[0].tolist() == [1, 1, 1]


def test_no_rows_are_not_written_because_they_cannot_be_read() -> None:
    moments = make_moments(1)
    none = np.zeros(1, np.bool_)
    empty = SampleTimes(
        moments.sample[none],
        moments.begin_ns[none],
        moments.end_ns[none],
        tuple(column[none] for column in moments.values),
        moments.length_ns,
    )
    with pytest.raises(ValueError, match="no times"):
        encode_times(empty)
