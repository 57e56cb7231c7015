"""Frames as pprof counts them: one for each name, and a mapped file for what has none."""

from __future__ import annotations

import gzip
from pathlib import Path

from stackglass_viewer.model.profile.frames import UNKNOWN, name_frames
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile


def read(folder: Path, message: Message) -> Profile:
    message.sample_type.add(type=1, unit=1)
    message.sample.add(value=[1], location_id=[each.id for each in message.location])
    path = folder / "x.pb.gz"
    path.write_bytes(gzip.compress(message.SerializeToString()))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return profile


def test_functions_of_one_name_are_one_frame_with_the_first_known_file(tmp_path: Path) -> None:
    message = Message(string_table=["", "n", "work", "a.py"])
    for number, (file, line) in enumerate([(0, 0), (3, 12)], 1):
        message.function.add(id=number, name=2, filename=file, start_line=line)
        message.location.add(id=number).line.add(function_id=number, line=1)
    frames = name_frames(read(tmp_path, message))
    assert (frames.name[:1], frames.file[:1], frames.line[0]) == (("work",), ("a.py",), 12)
    assert frames.line_frame.tolist() == [0, 0]


def test_a_location_without_a_function_stands_for_its_file(tmp_path: Path) -> None:
    message = Message(string_table=["", "n", "/usr/lib/libc.so.6"])
    message.mapping.add(id=1, filename=2)
    message.location.add(id=1, mapping_id=1)
    message.location.add(id=2)
    frames = name_frames(read(tmp_path, message))
    names = [frames.name[frame] for frame in frames.line_frame]
    assert names == ["[libc.so.6]", UNKNOWN]
    assert frames.line_start.tolist() == [0, 1, 2]
