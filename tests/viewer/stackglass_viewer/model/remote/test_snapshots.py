"""What is shown of several snapshots of a profile."""

from __future__ import annotations

import gzip

import pytest

from harness.profiles import encode_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.remote.snapshots import (
    SnapshotKind,
    SnapshotPart,
    Snapshots,
    find_kind,
)


def read(text: str, name: str = "delay") -> Profile:
    message = Message.FromString(gzip.decompress(encode_stacks(text)))
    message.string_table[3] = name
    profile = open_content(message.SerializeToString(), "test")
    assert isinstance(profile, Profile)
    return profile


def total(profile: Profile) -> int:
    return int(profile.samples.values[1].sum())


def test_kinds_by_name() -> None:
    names = ("profile", "heap", "mutex", "goroutine", "app.leases")
    kinds = [find_kind(name).value for name in names]
    assert kinds == ["recorded", "cumulative", "cumulative", "momentary", "momentary"]


def test_recorded_ones_are_added() -> None:
    snapshots = Snapshots(SnapshotKind.RECORDED, read("work 10"))
    assert not snapshots.add(read("work 3"))
    assert not snapshots.add(read("rest 4"))
    assert total(snapshots.choose(SnapshotPart.ALL)) == 17
    assert total(snapshots.choose(SnapshotPart.LAST)) == 4
    snapshots.clear()
    assert total(snapshots.choose(SnapshotPart.ALL)) == 4


def test_cumulative_ones_are_subtracted() -> None:
    snapshots = Snapshots(SnapshotKind.CUMULATIVE, read("work 10"))
    assert not snapshots.add(read("work 13"))
    assert not snapshots.add(read("work 18\nrest 1"))
    parts = (SnapshotPart.NOW, SnapshotPart.ALL, SnapshotPart.LAST)
    assert [total(snapshots.choose(part)) for part in parts] == [19, 9, 6]
    snapshots.clear()
    assert [total(snapshots.choose(part)) for part in parts] == [19, 0, 0]


def test_a_program_that_was_restarted_begins_anew() -> None:
    snapshots = Snapshots(SnapshotKind.CUMULATIVE, read("work 10"))
    assert snapshots.add(read("work 2"))
    assert total(snapshots.choose(SnapshotPart.ALL)) == 0
    assert not snapshots.add(read("work 5"))
    assert total(snapshots.choose(SnapshotPart.ALL)) == 3
    in_use = Snapshots(SnapshotKind.CUMULATIVE, read("work 10", "inuse_space"))
    assert not in_use.add(read("work 2", "inuse_space"))  # less may well be in use
    assert total(in_use.choose(SnapshotPart.ALL)) == -8


def test_momentary_ones_replace_each_other() -> None:
    snapshots = Snapshots(SnapshotKind.MOMENTARY, read("work 10"))
    assert not snapshots.add(read("work 2"))
    assert total(snapshots.choose(SnapshotPart.NOW)) == 2


def test_other_sample_types_are_an_error_and_change_nothing() -> None:
    snapshots = Snapshots(SnapshotKind.RECORDED, read("work 10"))
    with pytest.raises(ContentError, match="different sample types"):
        snapshots.add(read("work 10", "other"))
    assert total(snapshots.choose(SnapshotPart.ALL)) == 10
