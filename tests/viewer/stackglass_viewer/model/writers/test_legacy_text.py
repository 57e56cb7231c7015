"""pprof's old text, as our reader has it; ``go tool pprof`` reads it in test_convert."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from harness.labelled_profile import Label, write_labelled
from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.label_table import index_profile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content, open_profile
from stackglass_viewer.model.writers.collapsed import write_collapsed
from stackglass_viewer.model.writers.legacy_text import write_legacy_text

CORPUS = Path(__file__).resolve().parents[4] / "corpus"


def open_stacks(content: bytes) -> Profile:
    profile = open_content(content, "out")
    assert isinstance(profile, Profile)
    return profile


def rename_types(content: bytes, *types: tuple[str, str]) -> bytes:
    """The same values, of other types; twice them where there are more types."""
    message = Message.FromString(gzip.decompress(content))
    del message.sample_type[:]
    for name, unit in types:
        message.string_table.extend([name, unit])
        n = len(message.string_table)
        message.sample_type.add(type=n - 2, unit=n - 1)
    for sample in message.sample:
        sample.value.extend([each * 2 for each in sample.value][: len(types) - 2])
    return message.SerializeToString()


def test_the_text_of_counts() -> None:
    content = encode_labels(encode_stacks("main;load 300\nmain 10"), [{"route": "/a"}, {}])
    assert write_legacy_text(open_stacks(content), TypeId(0)).decode() == (
        "samples profile: total 2\n"
        "1 @ 0x100001 0x100011\n"
        '# labels: {"route": "/a"}\n'
        "#\t0x100000\tload+0x0\tload.py:1\n"
        "#\t0x100010\tmain+0x0\tmain.py:1\n"
        "1 @ 0x100011\n"
        "#\t0x100010\tmain+0x0\tmain.py:1\n"
    )


STACKS = encode_stacks("main;load;load;parse 300\nmain;load 90\nmain 10\nidle 0")
HEAP = [("alloc_objects", "count"), ("alloc_space", "bytes")]
IN_USE = [("inuse_objects", "count"), ("inuse_space", "bytes")]


@pytest.mark.parametrize(
    "types",
    [[*HEAP, *IN_USE], IN_USE, [("contentions", "count"), ("delay", "nanoseconds")]],
    ids=["heap", "in use", "contention"],
)
def test_values_and_stacks_stay(types: list[tuple[str, str]]) -> None:
    profile = open_stacks(rename_types(STACKS, *types))
    again = open_stacks(write_legacy_text(profile, profile.default_type))
    assert len(again.sample_types) == len(types)
    for number in range(len(types)):
        before = write_collapsed(profile, TypeId(number))
        assert write_collapsed(again, TypeId(number)) == before
        assert before


def test_equal_sums_of_allocations_stay_allocations() -> None:
    message = Message.FromString(rename_types(STACKS, *HEAP, *IN_USE))
    for sample in message.sample:
        sample.value[:] = [*sample.value[:2], *sample.value[:2]]
    again = open_stacks(write_legacy_text(open_stacks(message.SerializeToString()), TypeId(0)))
    assert [kind.name for kind in again.sample_types] == [name for name, _ in [*HEAP, *IN_USE]]


def test_addresses_and_mapped_files_stay() -> None:
    profile = open_profile(CORPUS / "go.work.goroutine.pb.gz")
    assert isinstance(profile, Profile)
    again = open_stacks(write_legacy_text(profile, TypeId(0)))
    used = set(profile.samples.stack.tolist())
    assert set(again.locations.address.tolist()) == {
        int(profile.locations.address[place]) for place in used
    }
    assert len(again.mappings.start) == len(profile.mappings.start)
    assert write_collapsed(again, TypeId(0)) == write_collapsed(profile, TypeId(0))


def test_what_the_format_cannot_hold_is_said() -> None:
    with pytest.raises(ContentError, match="no text format for cpu in nanoseconds"):
        write_legacy_text(open_stacks(STACKS), TypeId(1))
    below = open_stacks(rename_types(encode_stacks("main -3"), *HEAP, *IN_USE))
    with pytest.raises(ContentError, match="below zero"):
        write_legacy_text(below, TypeId(0))


def test_numeric_labels_stay_as_pprof_prints_them(tmp_path: Path) -> None:
    labels: list[Label] = [
        *(("bytes", 512, ""), ("bytes", 1536, ""), ("size", 64, "kilobytes")),
        *(("thread", "main", ""), ("thread", 7, ""), ("id", -3, ""), ("none", 0, "")),
    ]
    profile = open_profile(write_labelled(tmp_path / "labels.pb", [labels]))
    assert isinstance(profile, Profile)
    text = write_legacy_text(profile, TypeId(0)).decode()
    expected = {"thread": "main", "bytes": "[512 1536]", "size": "64 kilobytes", "id": "-3"}
    assert f"# labels: {json.dumps(expected)}\n" in text
    again = index_profile(open_stacks(text.encode()))
    assert dict(again.labels) == expected


def test_several_texts_of_a_key_stay_as_pprof_prints_them(tmp_path: Path) -> None:
    """Only the last one was written."""
    labels: list[Label] = [("route", "/a", ""), ("user", "ann", ""), ("route", "/b", "")]
    profile = open_profile(write_labelled(tmp_path / "labels.pb", [labels]))
    assert isinstance(profile, Profile)
    text = write_legacy_text(profile, TypeId(0)).decode()
    assert '# labels: {"route": "[/a /b]", "user": "ann"}\n' in text
