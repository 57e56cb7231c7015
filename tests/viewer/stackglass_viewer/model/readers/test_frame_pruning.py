"""Patterns out of files; that frames are cut as pprof cuts them is tested beside pprof itself."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "x{1001}"])
def test_patterns_that_cannot_be_used_are_a_warning(pattern: str, tmp_path: Path) -> None:
    message = Message.FromString(gzip.decompress(encode_stacks("main;malloc 5")))
    message.string_table.append(pattern)
    message.drop_frames = len(message.string_table) - 1
    path = tmp_path / "drop.pb"
    path.write_bytes(message.SerializeToString())
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    assert len(profile.samples.stack) == 2
    assert "frames that the file wants dropped are shown" in profile.warnings[0]
