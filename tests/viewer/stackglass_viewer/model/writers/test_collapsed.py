"""Collapsed stacks are opened again as such, whatever their frames are called."""

from __future__ import annotations

import gzip

import pytest

from harness.profiles import encode_stacks, list_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers.collapsed import write_collapsed

MARK = b"# collapsed stacks\n"


def name_frame(name: str) -> Profile:
    """A profile with the stacks ``name;work`` and ``work``."""
    message = Message.FromString(gzip.decompress(encode_stacks("main;work 3\nwork 4")))
    message.string_table[:] = [{"main": name}.get(text, text) for text in message.string_table]
    profile = open_content(message.SerializeToString(), "named")
    assert isinstance(profile, Profile)
    return profile


@pytest.mark.parametrize(
    "name",
    [
        "heap profile: 1: 2 [3: 4] @ heap/1",
        "goroutine profile: total 5",
        "--- mutex:",
        "go 1.22 trace",
        "gmon",
        "stackglass ",
        '{"meta": 1, "threads": 2}',
        "<svg>",
        "P1:T2",
        "a\0b",
        "x" * 9000,
    ],
)
def test_a_first_frame_that_looks_like_another_format(name: str) -> None:
    profile = name_frame(name)
    again = open_content(write_collapsed(profile, TypeId(1)), "again")
    assert isinstance(again, Profile)
    assert [values for _, values in list_stacks(again)] == [[3], [4]]
    assert [len(stack) for stack, _ in list_stacks(again)] == [2, 1]


def test_files_that_are_recognised_have_no_comment() -> None:
    assert write_collapsed(name_frame("main"), TypeId(1)) == b"main;work 3\nwork 4\n"
    assert write_collapsed(name_frame("--- mutex:"), TypeId(1)).startswith(MARK)
