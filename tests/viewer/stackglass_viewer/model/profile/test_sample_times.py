"""Times of samples: cut to a span, and kept with the samples that stay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.profile.profile import Profile, SampleTimes
from stackglass_viewer.model.profile.profile_sum import merge_profiles, subtract_base
from stackglass_viewer.model.profile.sample_choice import drop_samples
from stackglass_viewer.model.profile.sample_times import (
    TimedRows,
    cut_profile,
    keep_times,
    order_times,
)
from stackglass_viewer.model.profile.tag_filter import mask_samples
from stackglass_viewer.model.profile.transforms import Transform, TransformKind, transform_profile

Row = tuple[int, int, int, int]  # sample, begin, end, value

ROWS: list[Row] = [(0, 100, 130, 30), (1, 130, 150, 20), (0, 160, 170, 10), (2, 180, 180, 5)]


def make_times(rows: list[Row], factor: int = 1) -> SampleTimes:
    """The second value of each row is a multiple of the first."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4)
    values = np.stack((np.ones(len(columns), np.int64), columns[:, 3] * factor))
    made = order_times(
        TimedRows(columns[:, 0].astype(np.int32), columns[:, 1], columns[:, 2], tuple(values))
    )
    assert made is not None
    return made


def list_rows(times: SampleTimes | None) -> list[Row]:
    assert times is not None
    columns = (times.sample, times.begin_ns, times.end_ns, times.values[1])
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    made = read_stacks("main;load 40\nmain;work 20\nmain;work;sort 5", tmp_path)
    return replace(made, times=make_times(ROWS))


def test_rows_are_ordered_and_begin_at_nought() -> None:
    times = make_times(ROWS[::-1])
    assert list_rows(times) == [(0, 0, 30, 30), (1, 30, 50, 20), (0, 60, 70, 10), (2, 80, 80, 5)]
    assert times.length_ns == 80
    assert not times.begin_ns.flags.writeable


def test_no_rows_are_no_times() -> None:
    none = np.empty(0, np.int64)
    assert order_times(TimedRows(none.astype(np.int32), none, none, (none,))) is None


def test_a_clock_that_cannot_be_is_no_time() -> None:
    ends = np.array([-(2**62), 2**62], np.int64)
    rows = TimedRows(np.zeros(2, np.int32), ends, ends, (np.ones(2, np.int64),))
    assert order_times(rows) is None


@pytest.mark.parametrize(
    ("span", "values"),
    [
        ((0, 81), [40, 20, 5]),
        ((0, 80), [40, 20, 0]),  # the end does not belong to it
        ((80, 90), [0, 0, 5]),
        ((0, 30), [30, 0, 0]),
        ((15, 40), [15, 10, 0]),
        ((50, 60), [0, 0, 0]),
        ((65, 500), [5, 0, 5]),
    ],
)
def test_a_span_has_its_part(profile: Profile, span: tuple[int, int], values: list[int]) -> None:
    cut = cut_profile(profile, *span)
    assert cut.samples.values[1].tolist() == values
    assert cut.n_samples == profile.n_samples
    assert cut.times is not None
    assert cut.times.length_ns == 80


def test_a_part_is_as_long_as_its_span(profile: Profile) -> None:
    timed = replace(profile, duration_ns=80)
    assert cut_profile(timed, 15, 40).duration_ns == 25
    assert cut_profile(timed, 65, 500).duration_ns == 15
    assert cut_profile(replace(profile, duration_ns=0), 15, 40).duration_ns == 0


def test_parts_add_up(profile: Profile) -> None:
    parts = [cut_profile(profile, at, at + 7).samples.values[1] for at in range(0, 84, 7)]
    assert np.abs(np.sum(parts, axis=0) - profile.samples.values[1]).max() <= len(parts)


def test_a_file_without_times_is_not_cut(tmp_path: Path) -> None:
    profile = read_stacks("main 3", tmp_path)
    assert cut_profile(profile, 0, 1) is profile


def test_samples_that_go_take_their_times_with_them(profile: Profile) -> None:
    kept = np.array([False, True, True])
    assert list_rows(drop_samples(profile, kept).times) == [(0, 30, 50, 20), (1, 80, 80, 5)]
    assert list_rows(mask_samples(profile, kept).times) == [(1, 30, 50, 20), (2, 80, 80, 5)]
    assert keep_times(profile.times, np.ones(3, dtype=bool)) is profile.times
    assert keep_times(None, kept) is None


def test_filters_keep_the_times_of_what_is_left(profile: Profile) -> None:
    shown = transform_profile(profile, [Transform(TransformKind.FOCUS, "work")])
    assert list_rows(shown.times) == [(0, 30, 50, 20), (1, 80, 80, 5)]


def test_sums_and_differences_have_no_times(profile: Profile) -> None:
    assert merge_profiles([profile, profile]).times is None
    assert subtract_base(profile, profile, is_marked=True).times is None
    assert subtract_base(profile, profile, is_normalized=True).times is None
