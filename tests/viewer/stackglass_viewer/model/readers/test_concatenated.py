"""Several pprof profiles in a file: their sum, whatever their ids are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.counted_work import count_lines
from harness.profiles import encode_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.concatenated import split_messages
from stackglass_viewer.model.readers.opener import open_content

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
ONE = gzip.decompress(encode_stacks("main;load 5\nmain;save 7"))
OTHER = gzip.decompress(encode_stacks("init;boot 3\nmain;load 2"))


def sum_stacks(content: bytes) -> dict[tuple[str, ...], int]:
    profile = open_content(content, "some.pb")
    assert isinstance(profile, Profile)
    sums: dict[tuple[str, ...], int] = {}
    starts = profile.samples.stack_start.tolist()
    for sample in range(profile.n_samples):
        names = []
        for location in profile.samples.stack[starts[sample] : starts[sample + 1]].tolist():
            line = profile.locations.line_start[location]
            function = profile.locations.line_function[line]
            names.append(profile.strings[profile.functions.name[function]])
        sums[tuple(reversed(names))] = int(profile.samples.values[-1, sample])
    return sums


SUM = {("main", "load"): 7, ("main", "save"): 7, ("init", "boot"): 3}


@pytest.mark.parametrize(
    "content",
    [ONE + OTHER, gzip.compress(ONE) + gzip.compress(OTHER), gzip.compress(ONE + OTHER)],
    ids=["bare", "members", "packed"],
)
def test_several_are_their_sum(content: bytes) -> None:
    assert sum_stacks(content) == SUM


def test_the_same_twice_counts_twice() -> None:
    assert sum_stacks(ONE * 3) == {("main", "load"): 15, ("main", "save"): 21}
    assert split_messages(ONE * 3) == [ONE] * 3


def test_one_alone_is_not_split_and_a_piece_of_one_is_an_error() -> None:
    assert split_messages(ONE) == [ONE]
    with pytest.raises(ContentError):
        sum_stacks(ONE + OTHER[:-5])


def test_other_sample_types_are_refused() -> None:
    other = gzip.decompress(encode_stacks("main 1")).replace(b"cpu", b"gpu")
    assert other != gzip.decompress(encode_stacks("main 1"))
    with pytest.raises(ContentError, match="different sample types"):
        sum_stacks(ONE + other)


def test_a_file_with_a_second_empty_string_is_one_profile(tmp_path: Path) -> None:
    assert sum_stacks(ONE + b"\x32\x00") == sum_stacks(ONE)


@pytest.mark.parametrize("name", ["go.http.cpu2s.pb.gz", "go.http.heap.gc.pb.gz"])
def test_files_of_go_which_begin_with_other_fields(name: str) -> None:
    content = (CORPUS / name).read_bytes()
    once, twice = (open_content(content * n, name) for n in (1, 2))
    assert isinstance(once, Profile)
    assert isinstance(twice, Profile)
    sums = [each.samples.values.sum(axis=1).tolist() for each in (once, twice)]
    assert [2 * each for each in sums[0]] == sums[1]
    assert twice.duration_ns == 2 * once.duration_ns
    assert twice.strings[twice.functions.name[0]] == once.strings[once.functions.name[0]]


def test_an_endless_number_ends_the_search() -> None:
    content = ONE + b"\x32" + b"\xff" * 10_000
    assert split_messages(content) == [content]
    n_before = count_lines(lambda: split_messages(ONE))
    assert count_lines(lambda: split_messages(content)) < n_before + 100
