"""Views of snapshots: they are made again after a clear, also after one during a build."""

from __future__ import annotations

import gzip

import pytest

from harness.live_source import PALETTE
from harness.profiles import encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.remote.snapshots import PARTS, SnapshotKind, SnapshotPart, Snapshots
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.remote.source import RemoteSource
from stackglass_viewer.presenter.tables.top_model import Arrangement


def read(stacks: str) -> Profile:
    profile = open_content(encode_stacks(stacks), "test")
    assert isinstance(profile, Profile)
    return profile


class ClearedSnapshots(Snapshots):
    """The user clears them during the first build, after the builder has read them."""

    source: RemoteSource | None = None

    def choose(self, part: SnapshotPart) -> Profile:
        chosen = super().choose(part)
        source, self.source = self.source, None
        if source is not None:
            self.clear()
            source.forget()
        return chosen


def test_a_clear_during_a_build_has_its_effect_in_the_next() -> None:
    snapshots = ClearedSnapshots(SnapshotKind.RECORDED, read("main;work 10"))
    snapshots.add(read("main;work 15"))
    source = snapshots.source = RemoteSource(snapshots, "cpu")
    source.part = SnapshotPart.ALL
    request = BuildRequest(TypeId(source.first_type), "cost", PALETTE, Arrangement())
    totals = [source.build(request).top.total for _ in range(2)]
    assert totals[1] < totals[0]


@pytest.mark.parametrize(
    ("kind", "part", "title", "words"),
    [
        (SnapshotKind.CUMULATIVE, SnapshotPart.ALL, "No change", "since the tab was opened"),
        (SnapshotKind.CUMULATIVE, SnapshotPart.LAST, "No change", "in the last interval"),
        (SnapshotKind.RECORDED, SnapshotPart.ALL, "No samples", "No interval so far"),
        (SnapshotKind.RECORDED, SnapshotPart.LAST, "No samples", "The last interval"),
    ],
)
def test_a_part_without_samples_says_so(
    kind: SnapshotKind, part: SnapshotPart, title: str, words: str
) -> None:
    """Not that the profile is complete: the next interval may have samples."""
    stacks = "main;work 10" if kind is SnapshotKind.CUMULATIVE else ""
    snapshots = Snapshots(kind, read(stacks))
    snapshots.add(read(stacks))
    source = RemoteSource(snapshots, "heap")
    source.part = part
    request = BuildRequest(TypeId(source.first_type), "cost", PALETTE, Arrangement())
    info = source.build(request).info
    assert not info.has_samples
    assert info.emptiness[0] == title
    assert words in info.emptiness[1]


def test_a_profile_that_is_off_says_which_rate_is_missing_in_each_part() -> None:
    message = Message.FromString(gzip.decompress(encode_stacks("")))
    message.string_table.append("no samples: the program has set no rate, f(1) sets one")
    message.comment.append(len(message.string_table) - 1)
    profile = open_content(gzip.compress(message.SerializeToString()), "test")
    assert isinstance(profile, Profile)
    snapshots = Snapshots(SnapshotKind.CUMULATIVE, profile)
    snapshots.add(profile)
    source = RemoteSource(snapshots, "mutex")
    request = BuildRequest(TypeId(source.first_type), "cost", PALETTE, Arrangement())
    for part in PARTS[SnapshotKind.CUMULATIVE]:
        source.part = part
        text = ("No samples", "The program has set no rate, f(1) sets one.")
        assert source.build(request).info.emptiness == text
