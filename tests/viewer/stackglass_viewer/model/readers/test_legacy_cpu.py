"""Binary CPU profiles of every word size and order: checklist 34 and 35."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.legacy_cpu import find_word_type, read_legacy_cpu
from stackglass_viewer.model.readers.opener import open_profile

WORDS = ["<I", ">I", "<Q", ">Q"]
HEADER = [0, 3, 0, 10_000, 0]
END = [0, 1, 0]
MAPS = b"""\
build=abcdef
00400000-00500000 r-xp 00000000 08:01 1234 /usr/bin/prog (deleted)
this line is not a mapping
#\t0x400010\twork\tprog.py:7
"""


def pack(words: list[int], word: str = "<Q", text: bytes = MAPS) -> bytes:
    return struct.pack(f"{word[0]}{len(words)}{word[1]}", *words) + text


def stacks_of(profile: Profile) -> dict[tuple[int, ...], int]:
    starts, addresses = profile.samples.stack_start, profile.locations.address
    sums: Counter[tuple[int, ...]] = Counter()
    for i in range(profile.n_samples):
        stack = addresses[profile.samples.stack[starts[i] : starts[i + 1]]].tolist()
        sums[tuple(stack)] += int(profile.samples.values[0, i])
    return dict(sums)


@pytest.mark.checklist(34)
@pytest.mark.parametrize("word", WORDS)
def test_34_every_word_sums_equal_stacks_and_passes_over_unknown_lines(word: str) -> None:
    records = [2, 2, 0x400010, 0x400021, 1, 1, 0x400010, 3, 2, 0x400010, 0x400021]
    profile = read_legacy_cpu(pack(HEADER + records + END, word))
    assert stacks_of(profile) == {(0x400010, 0x400020): 5, (0x400010,): 1}
    assert profile.samples.values[1].tolist() == [20_000_000, 10_000_000, 30_000_000]
    assert profile.period == 10_000_000
    assert [profile.strings[i] for i in profile.mappings.filename] == ["/usr/bin/prog"]
    assert profile.locations.mapping.tolist() == [0, 0]
    assert [profile.strings[i] for i in profile.functions.name] == ["work"]


@pytest.mark.checklist(35)
def test_35_a_caller_that_all_samples_share_stays() -> None:
    records: list[int] = []
    for i in range(64):
        records += [1, 3, 0x400100 + 16 * i, 0x400021, 0x400031]
    profile = read_legacy_cpu(pack(HEADER + records + END))
    assert all(stack[1] == 0x400020 for stack in stacks_of(profile))
    assert profile.n_samples == 64


def pack_shared(n_exceptions: int) -> bytes:
    """64 samples with two shared frames above their leaves, but for some; addresses alone."""
    records: list[int] = []
    for i in range(64):
        shared = 0x400021 + (i < n_exceptions)
        records += [1, 4, 0x400100 + 16 * i, shared, 0x400031, 0x400041]
    return pack(HEADER + records + END, text=b"")


def test_without_names_two_frames_that_nearly_all_share_are_left_out_with_a_warning() -> None:
    """pprof's rule; tests/contract compares whole files."""
    profile = read_legacy_cpu(pack_shared(2))
    assert sorted(map(len, stacks_of(profile))) == [2] * 62 + [4] * 2
    assert profile.warnings[0].startswith("124 frames are left out")
    kept = read_legacy_cpu(pack_shared(3))
    assert sorted(map(len, stacks_of(kept))) == [4] * 64
    assert kept.warnings == ()


def test_addresses_at_both_ends_of_the_memory_wrap_around() -> None:
    profile = read_legacy_cpu(
        pack([*HEADER, 1, 2, 0, 0, 2, 2, 0, 1, 3, 2, 2**64 - 1, 0, *END], text=b"")
    )
    last = 2**64 - 1
    assert stacks_of(profile) == {(0, last): 1, (0, 0): 2, (last, last): 3}


def test_a_leaf_that_stands_twice_counts_once() -> None:
    profile = read_legacy_cpu(pack([*HEADER, 1, 3, 0x400010, 0x400010, 0x400031, *END]))
    assert stacks_of(profile) == {(0x400010, 0x400030): 1}


@pytest.mark.checklist(26)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        pack([0, 3]),
        pack([*HEADER, 2, 2, 0x400010], text=b""),
        pack([*HEADER, 1, 0, *END], text=b""),
        pack([*HEADER, 1, 2**40, 1], text=b""),
        pack([*HEADER, 2**63, 1, 0x400010, *END], text=b""),
        pack([*HEADER[:3], 2**62, 0, 4, 1, 0x400010, *END], text=b""),
        pack([*HEADER[:3], 2**62, 0, *END], text=b""),
        pack([*HEADER[:3], 2**62, 0, 0, 1, 0x400010, *END], text=b""),
        pack([*HEADER, 1, 2**64 - 1, 1, *END], text=b""),
        pack([*HEADER, 1, 1, 0x400010, *END], text=b"")[:-1],
    ],
    ids=[
        *("empty", "short", "no end", "no frames", "too deep", "overflow", "long", "period"),
        *("nothing for long", "depth", "cut"),
    ],
)
def test_26_what_cannot_be_is_one_error(content: bytes) -> None:
    with pytest.raises(ContentError):
        read_legacy_cpu(content)


def test_numbers_of_a_java_program_are_named_by_its_text() -> None:
    text = b" 0x7 com.x.load (Load.java:12)\n 0x8 GC\n 0x9 libjvm (/usr/lib/libjvm.so)\n"
    profile = read_legacy_cpu(pack([0, 3, 1, 10_000, 0, 3, 3, 7, 9, 8, *END], text=text))
    names = [profile.strings[i] for i in profile.functions.name]
    assert names == ["com.x.load", "libjvm", "GC"]
    assert [profile.strings[i] for i in profile.functions.filename] == [
        "Load.java",
        "libjvm.so",
        "",
    ]
    assert profile.locations.line_number.tolist() == [12, 0, 0]
    assert profile.locations.address.tolist() == [0, 0, 0]
    assert profile.samples.values.tolist() == [[3], [30_000_000]]


def test_a_profile_without_samples() -> None:
    profile = read_legacy_cpu(pack(HEADER + END))
    assert profile.n_samples == 0
    assert profile.samples.values.shape == (2, 0)


def test_other_bytes_are_not_taken_for_one() -> None:
    assert find_word_type(b"\x1f\x8b" + bytes(100)) is None
    assert find_word_type(bytes(100)) is None


@pytest.mark.checklist(34)
@pytest.mark.parametrize("word", WORDS)
def test_34_is_opened_by_what_is_in_it(word: str, tmp_path: Path) -> None:
    path = tmp_path / "some.prof"
    path.write_bytes(pack([*HEADER, 2, 1, 0x400010, *END], word))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    assert stacks_of(profile) == {(0x400010,): 2}


@pytest.mark.parametrize("digits", [19, 5000])
def test_a_line_number_that_no_file_has_is_unknown(digits: int) -> None:
    text = b"#\t0x400010\twork\tprog.py:%b\n" % (b"9" * digits)
    profile = read_legacy_cpu(pack([*HEADER, 2, 1, 0x400010, *END], text=text))
    assert [profile.strings[i] for i in profile.functions.name] == ["work"]
    assert profile.locations.line_number.tolist() == [0]
