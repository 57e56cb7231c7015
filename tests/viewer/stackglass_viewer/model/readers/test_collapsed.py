"""Collapsed stacks: callers, places in names, differences, and what is not one."""

from __future__ import annotations

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.collapsed import read_collapsed
from stackglass_viewer.model.readers.opener import open_content


def test_the_last_frame_of_a_line_is_the_leaf() -> None:
    profile = read_collapsed(b"# by hand\nmain;work 5\n\nmain 1 \r\nmain;a b;work -3")
    assert list_stacks(profile) == [
        (["work", "main"], [5]),
        (["main"], [1]),
        (["work", "a b", "main"], [-3]),
    ]
    assert [(each.name, each.unit) for each in profile.sample_types] == [("samples", "count")]
    assert profile.warnings == ()


def test_the_place_behind_a_name_is_its_file_and_line() -> None:
    profile = read_collapsed(b"main (app.py:12);work (/lib/a b.py:3);read_[k];f (x.py) 7\n")
    locations, functions = profile.locations, profile.functions
    assert [
        (profile.strings[functions.name[f]], profile.strings[functions.filename[f]], line)
        for f, line in zip(locations.line_function, locations.line_number, strict=True)
    ] == [
        ("main", "app.py", 12),
        ("work", "/lib/a b.py", 3),
        ("read_[k]", "", 0),
        ("f", "x.py", 0),
    ]


def test_two_values_in_every_line_are_before_and_after() -> None:
    profile = read_collapsed(b"main;work 5 9\nmain 0 4\n")
    assert [each.name for each in profile.sample_types] == ["before", "after"]
    assert list_stacks(profile) == [(["work", "main"], [5, 9]), (["main"], [0, 4])]
    once = read_collapsed(b"main;work 5 9\nmain 4\n")  # here a name ends in a number
    assert list_stacks(once) == [(["work 5", "main"], [9]), (["main"], [4])]


def test_fractions_are_rounded_and_that_is_said() -> None:
    profile = read_collapsed(b"main;work 5.6\nmain 1\n")
    assert list_stacks(profile) == [(["work", "main"], [6]), (["main"], [1])]
    assert profile.warnings == ("it has values with fractions, which are rounded",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"main;work 5\nmain;work\n", "line 2 is not a stack: 'main;work'"),
        (b"main;work 99999999999999999999\n", "63 bits"),
    ],
)
def test_what_cannot_be_read_is_one_error(text: bytes, says: str) -> None:
    with pytest.raises(ProfileError, match=says):
        read_collapsed(text)


def test_a_stack_without_frames_is_unknown() -> None:
    content = b"main (a.py:1);work (a.py:2) 5\n 1\nmain (a.py:1) 3\n"  # as py-spy writes it
    profile = open_content(content, "x")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == [(["work", "main"], [5]), (["<unknown>"], [1]), (["main"], [3])]
    with pytest.raises(ProfileError, match="line 2 is not a stack: '1'"):
        read_collapsed(b"main;work 5\n1\n")
