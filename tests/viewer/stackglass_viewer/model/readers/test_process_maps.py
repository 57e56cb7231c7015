"""Memory maps; the common cases are compared with pprof's in tests/contract."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from harness.counted_work import count_allocated_bytes, count_lines
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers import process_maps
from stackglass_viewer.model.readers.process_maps import (
    MappedFile,
    place_addresses,
    read_mappings,
)


def test_adjacent_pieces_of_one_file_are_one() -> None:
    lines = [
        b"1000-2000 r-xp 00003000 08:01 5 /lib/a.so",
        b"2000-3000 r-xp 00004000 08:01 5 /lib/a.so",
        b"3000-4000 r-xp 00009000 08:01 5 /lib/a.so",
        b"4000-5000 r-xp 00000000 08:01 5 /lib/b.so.1",
        b"6000-7000 r-xp 00000000 08:01 5 /usr/bin/main",
    ]
    found = [(each.start, each.limit, each.file) for each in read_mappings(lines)]
    assert found == [
        (0x6000, 0x7000, "/usr/bin/main"),
        (0x3000, 0x4000, "/lib/a.so"),
        (0x4000, 0x5000, "/lib/b.so.1"),
        (0x1000, 0x3000, "/lib/a.so"),
    ]


def test_more_mappings_than_a_process_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_maps, "MOST_MAPPINGS", 3)
    lines = [b"%x-%x r-xp 0 08:01 5 /lib/a.so" % (k * 32, k * 32 + 16) for k in range(4)]
    assert len(read_mappings(lines[:3])) == 3
    with pytest.raises(ContentError, match="more than 3 files"):
        read_mappings(lines)


def test_a_mapping_grows_to_the_beginning_of_its_file() -> None:
    mappings = read_mappings([b"5000-6000 r-xp 00002000 08:01 5 /lib/a.so"])
    assert place([0x5500, 0x2FFF, 0x3000, 0x6000], mappings) == [0, -1, 0, -1]
    assert (mappings[0].start, mappings[0].offset) == (0x3000, 0)


def test_places_are_those_of_a_plain_search() -> None:
    chance = random.Random(7)
    for _ in range(600):
        starts = [chance.randrange(40) for _ in range(chance.randrange(7))]
        mappings = [
            MappedFile(start, start + chance.randrange(9), chance.choice([0, 0, 3, 8, 60]), "", "")
            for start in starts
        ]
        plain = [MappedFile(m.start, m.limit, m.offset, m.file, m.build_id) for m in mappings]
        addresses = [chance.randrange(50) for _ in range(40)]
        assert place(addresses, mappings) == place_plainly(addresses, plain)
        assert mappings == plain


def test_an_address_is_not_compared_with_each_of_many_mappings() -> None:
    n = 1000
    mappings = [MappedFile(k << 12, (k << 12) + 2048, 1024, "", "") for k in range(1, n)]
    addresses = [(k % n + 1 << 12) + (k % 3 - 1) * 900 for k in range(3 * n)]
    assert count_lines(lambda: place(addresses, mappings)) < 100 * n


def place(addresses: list[int], mappings: list[MappedFile]) -> list[int]:
    return [*map(int, place_addresses(np.array(addresses, dtype=np.uint64), mappings))]


def place_plainly(addresses: list[int], mappings: list[MappedFile]) -> list[int]:
    """Each address beside each mapping, as pprof does it."""
    order = sorted(range(len(mappings)), key=lambda i: mappings[i].start)
    return [find_plainly(address, mappings, order) for address in addresses]


def find_plainly(address: int, mappings: list[MappedFile], order: list[int]) -> int:
    for i in order:
        if mappings[i].start <= address < mappings[i].limit:
            return i
    for i, mapping in enumerate(mappings):
        begin = mapping.start - mapping.offset
        if mapping.offset and 0 <= begin <= address < mapping.start:
            mapping.start, mapping.offset = begin, 0
            return i
    return -1


def test_huge_pages_in_front_of_the_program_are_left_out() -> None:
    lines = [
        b"400000-600000 r-xp 00000000 00:0e 5 /anon_hugepage",
        b"600000-700000 r-xp 00200000 08:01 5 /usr/bin/main",
    ]
    (mapping,) = read_mappings(lines)
    assert (mapping.start, mapping.offset, mapping.file) == (0x400000, 0, "/usr/bin/main")


class WatchedPattern:
    """Records the lengths of the lines that are matched."""

    def __init__(self, pattern: re.Pattern[bytes], lengths: list[int]) -> None:
        self._pattern, self._lengths = pattern, lengths

    def match(self, line: bytes) -> re.Match[bytes] | None:
        self._lengths.append(len(line))
        return self._pattern.match(line)


def test_lines_longer_than_any_path_are_not_matched(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    for name in ("_OF_PROC", "_BRIEF", "_LOG_PREFIX"):
        watched = WatchedPattern(getattr(process_maps, name), lengths)
        monkeypatch.setattr(process_maps, name, watched)
    assert not read_mappings([b"a" * 8193, b"x:1] " + b"f" * 9000, b"a" * 8192])
    assert lengths == [8192] * 3


def test_lines_made_to_take_long_do_not() -> None:
    """A pattern that takes the square of a line's length does not end here."""
    lines = [b"f" * 8000, b"f " * 4000, b" " * 8000, b"x:" + b"1" * 8000, b":1" * 4000]
    assert len(read_mappings(lines * 3000)) <= 1 + 3000


def test_only_the_first_values_are_kept() -> None:
    """Every line is searched for all of them."""
    n = 2000
    lines = [b"x%d=c" % number for number in range(n)]
    assert count_lines(lambda: read_mappings(lines)) < 500 * n


def test_values_do_not_grow_without_limit() -> None:
    """Each doubles the length, below of the names in it, and above of the value before it."""
    inner = [b"n%d=$n%d$n%d" % (each, each + 1, each + 1) for each in range(100, 120)]
    outer = [b"m%d=$m%d$m%d" % (each + 1, each, each) for each in range(100, 112)]
    start = b"m100=" + b"x" * 4000
    assert count_allocated_bytes(lambda: read_mappings([*inner, b"$n100"])) < 500_000
    assert count_allocated_bytes(lambda: read_mappings([start, *outer])) < 500_000
