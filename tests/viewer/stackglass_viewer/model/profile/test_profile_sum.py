"""Sums and differences of profiles with tables of their own."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from harness.counted_work import count_allocated_bytes
from harness.labelled_profile import write_labelled
from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_values
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import (
    add_profiles,
    join_profiles,
    merge_profiles,
    subtract_profiles,
)
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content, open_profile
from stackglass_viewer.model.writers.pprof import write_pprof


def read(content: bytes) -> Profile:
    profile = open_content(content, "test")
    assert isinstance(profile, Profile)
    return profile


def list_flat(profile: Profile, sample_type: int = 1) -> dict[str, int]:
    tree = build_call_tree(profile)
    values = sum_values(tree, profile.samples.values[sample_type], "nanoseconds")
    top = build_top(tree, values)
    return {name: int(flat) for name, flat in zip(top.name, top.flat, strict=True) if flat}


EARLIER = encode_stacks("main;load 30\nmain;save 40\nidle 5")
LATER = encode_stacks("idle 5\nmain;save 25\nother;load 7\nmain;load 50")


def test_a_difference_has_what_changed_and_nothing_else() -> None:
    change = subtract_profiles(read(LATER), read(EARLIER))
    assert list_flat(change) == {"save": -15, "load": 27}
    assert change.n_samples == 3  # idle did not change: that row is gone
    assert not subtract_profiles(read(LATER), read(LATER)).n_samples


def test_a_sum_has_one_row_for_the_same_stack() -> None:
    total = add_profiles(read(EARLIER), read(LATER))
    assert list_flat(total) == {"load": 87, "save": 65, "idle": 10}
    assert list_flat(total, 0) == {"load": 3, "save": 2, "idle": 2}
    assert (total.n_samples, total.duration_ns) == (4, 2_000_000_000)
    assert list_flat(subtract_profiles(total, read(LATER))) == list_flat(read(EARLIER))


def test_labels_and_lines_keep_rows_apart() -> None:
    one = encode_labels(encode_stacks("work 10"), [{"route": "/a"}])
    two = encode_labels(encode_stacks("work 10"), [{"route": "/b"}])
    both = add_profiles(read(one), read(two))
    assert both.n_samples == 2
    texts = [both.strings[text] for text in both.labels.text.tolist()]
    assert texts == ["/a", "/b"]
    message = Message.FromString(gzip.decompress(one))
    message.location[0].line[0].line = 99
    moved = read(gzip.compress(message.SerializeToString()))
    assert add_profiles(read(one), moved).n_samples == 2
    assert not subtract_profiles(read(one), read(one)).n_samples


def test_other_sample_types_are_refused() -> None:
    other = read(encode_stacks("work 10", unit="bytes"))
    with pytest.raises(ContentError, match="different sample types"):
        subtract_profiles(other, read(EARLIER))


def test_nothing_can_be_added() -> None:
    empty = read(encode_stacks(""))
    assert list_flat(add_profiles(empty, read(EARLIER))) == list_flat(read(EARLIER))
    assert not add_profiles(empty, empty).n_samples


def test_profiles_of_different_types_are_joined() -> None:
    """Each has its own columns; stacks that they share are one row of functions."""
    joined = join_profiles(
        [read(EARLIER), read(encode_stacks("main;load 30\nmain;keep 8", "bytes"))]
    )
    units = [(each.name, each.unit) for each in joined.sample_types]
    assert units == [("samples", "count"), ("cpu", "nanoseconds"), ("cpu", "bytes")]
    assert list_flat(joined) == list_flat(read(EARLIER))
    assert list_flat(joined, 2) == {"load": 30, "keep": 8}
    again = join_profiles([joined, read(EARLIER)])
    assert list_flat(again) == {"load": 60, "save": 80, "idle": 10}
    assert list_flat(again, 2) == {"load": 30, "keep": 8}


def test_a_sample_with_many_labels(tmp_path: Path) -> None:
    """A label does not copy all labels before it."""
    n = 3000
    labels = [("id", number, "") for number in range(n)]
    profile = open_profile(write_labelled(tmp_path / "many.pb", [labels]))
    assert isinstance(profile, Profile)
    both = []
    n_bytes = count_allocated_bytes(lambda: both.append(add_profiles(profile, profile)))
    assert n_bytes < 4000 * n
    assert both[0].labels.number.tolist() == profile.labels.number.tolist()


def test_a_sum_of_durations_fits_a_file() -> None:
    one = replace(read(EARLIER), duration_ns=2**62 + 1)
    for total in (add_profiles(one, one), merge_profiles([one, one])):
        assert total.duration_ns == 2**63 - 1
        write_pprof(total)
