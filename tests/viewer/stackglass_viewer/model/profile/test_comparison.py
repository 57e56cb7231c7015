"""What two profiles can be compared by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.comparison import keep_common_types, list_cautions
from stackglass_viewer.model.profile.profile import Profile, SampleType


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return read_stacks("main;load 30\nmain;save 40", tmp_path)


def test_types_that_one_has_alone_are_left_out(profile: Profile) -> None:
    times = replace(
        profile, sample_types=(SampleType("cpu", "nanoseconds"), SampleType("wall", "nanoseconds"))
    )
    base, other = keep_common_types(profile, times)
    assert base.sample_types == other.sample_types == (SampleType("cpu", "nanoseconds"),)
    assert base.samples.values.tolist() == [[30, 40]]
    assert other.samples.values.tolist() == [[1, 1]]  # its first column
    assert (base.default_type, other.default_type) == (0, 0)
    assert keep_common_types(profile, profile) == (profile, profile)


def test_what_cannot_be_compared_is_refused(profile: Profile) -> None:
    heap = replace(profile, sample_types=(SampleType("objects", "count"),) * 2)
    with pytest.raises(ContentError, match="no sample type in common"):
        keep_common_types(profile, heap)
    first = replace(profile, period_type=SampleType("cpu", "nanoseconds"))
    second = replace(profile, period_type=SampleType("space", "bytes"))
    with pytest.raises(ContentError, match="different events"):
        keep_common_types(first, second)
    keep_common_types(profile, first)  # one does not say it


def test_what_makes_amounts_differ_is_reported(profile: Profile) -> None:
    assert not [*list_cautions(profile, profile)]
    longer = replace(profile, duration_ns=10_000_000_000)
    assert [*list_cautions(profile, longer)] == [
        "the base covers 1.00 s, the other profile 10.0 s: scaling compares shares "
        "instead of amounts"
    ]
    (rate,) = list_cautions(profile, replace(profile, period=10))
    assert rate.startswith("samples were taken every 0 and every 10:")
    event = SampleType("cpu", "nanoseconds")
    slower = replace(profile, period=10_000_000, period_type=event)
    (rate,) = list_cautions(replace(slower, period=1_000_000), slower)
    assert rate.startswith("samples were taken every 1 ms and every 10 ms")
    in_use = replace(longer, sample_types=(SampleType("inuse_space", "bytes"),))
    assert not [*list_cautions(replace(profile, sample_types=in_use.sample_types), in_use)]
