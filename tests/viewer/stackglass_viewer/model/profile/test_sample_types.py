"""Which values are shown, and which ones are asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.errors import SampleTypeError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.sample_types import choose_default, choose_first, find_type

HEAP = (SampleType("objects", "count"), SampleType("space", "bytes"))


@pytest.mark.checklist(104)
def test_the_default_is_what_the_profile_says_else_the_last() -> None:
    """Checklist 104."""
    assert choose_default(HEAP, "objects") == 0
    assert choose_default(HEAP, "") == 1
    assert choose_default(HEAP, "no such type") == 1


def test_a_window_opens_on_a_type_that_has_values(tmp_path: Path) -> None:
    profile = read_stacks("main;work 5", tmp_path)
    assert choose_first(profile) == profile.default_type == 1
    for values, first in (([[1], [0]], 0), ([[0], [0]], 1), ([[0], [7]], 1)):
        column = np.array(values, np.int64)
        changed = replace(profile, samples=replace(profile.samples, values=column))
        assert choose_first(changed) == first
        assert choose_first(changed, profile) == 1, "the other has values of the default"
    other = replace(
        profile, samples=replace(profile.samples, values=np.array([[3], [0]], np.int64))
    )
    nothing = replace(profile.samples, values=np.zeros((2, 1), np.int64))
    assert choose_first(replace(profile, samples=nothing), other) == 0
    empty = replace(profile.samples, values=np.zeros((2, 0), np.int64))
    assert choose_first(replace(profile, samples=empty)) == 1


@pytest.mark.parametrize(
    ("wanted", "want"), [("0", 0), ("1", 1), ("space", 1), ("inuse_objects", 0)]
)
def test_by_name_or_number(wanted: str, want: int) -> None:
    assert find_type(HEAP, wanted) == want


def test_a_name_that_is_nearly_right_is_offered() -> None:
    with pytest.raises(SampleTypeError) as caught:
        find_type(HEAP, "spcae")
    assert caught.value.remedy == "did you mean space? it has objects, space"
    with pytest.raises(SampleTypeError) as caught:
        find_type(HEAP, "cpu")
    assert caught.value.remedy == "it has objects, space"


@pytest.mark.parametrize("wanted", ["2", "-1", "alloc_space", ""])
def test_what_is_not_there_is_said_with_what_is(wanted: str) -> None:
    with pytest.raises(SampleTypeError, match="objects, space"):
        find_type(HEAP, wanted)
