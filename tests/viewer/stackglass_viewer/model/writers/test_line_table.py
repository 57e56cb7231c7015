"""Lines of locations with several lines, and with none."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers.line_table import expand_stacks, list_lines


def make_profile() -> Profile:
    """A location of ``inner`` inlined into ``outer``, one without lines, one of ``main``."""
    message = Message(string_table=["", "cpu", "count", "inner", "outer", "main", "/lib/libc.so"])
    message.sample_type.add(type=1, unit=2)
    message.mapping.add(id=1, memory_start=0x1000, memory_limit=0x2000, filename=6)
    for number in (1, 2, 3):
        message.function.add(id=number, name=number + 2)
    message.location.add(id=1, address=0x1100, mapping_id=1)
    inlined = message.location.add(id=2)
    inlined.line.add(function_id=1, line=7)
    inlined.line.add(function_id=2, line=8)
    message.location.add(id=3).line.add(function_id=3, line=9)
    message.sample.add(value=[5], location_id=[1, 2, 3])
    message.sample.add(value=[6], location_id=[3])
    profile = open_content(message.SerializeToString(), "x")
    assert isinstance(profile, Profile)
    return profile


def test_lines_stand_beside_their_frames() -> None:
    table = list_lines(make_profile())
    names = [table.frames.name[frame] for frame in table.frame]
    lines = dict(zip(names, table.line.tolist(), strict=True))
    assert lines == {"[libc.so]": 0, "inner": 7, "outer": 8, "main": 9}


def test_stacks_have_all_lines_leaf_first() -> None:
    profile = make_profile()
    table = list_lines(profile)
    rows, start = expand_stacks(profile.samples.stack, profile.samples.stack_start, table.frames)
    names = [table.frames.name[frame] for frame in table.frame[rows]]
    assert names == ["[libc.so]", "inner", "outer", "main", "main"]
    assert start.tolist() == [0, 4, 5]
    empty, none = expand_stacks(np.zeros(0, np.int32), np.zeros(1, np.int64), table.frames)
    assert (len(empty), none.tolist()) == (0, [0])
