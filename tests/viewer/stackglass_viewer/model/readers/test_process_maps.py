"""Memory maps; the common cases are compared with pprof's in tests/contract."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from harness.counted_work import count_lines
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


def test_lines_made_to_take_long_do_not() -> None:
    begin = time.perf_counter()
    lines = [b"f" * 8000, b"f " * 4000, b" " * 8000, b"a" * 10_000_000, b"x:" + b"1" * 8000] * 50
    doubling = [b"a=" + b"x" * 4000, *[b"a=$a$a"] * 99, *[b"b=c"] * 10_000]
    assert len(read_mappings(lines + doubling)) <= 100
    assert time.perf_counter() - begin < 2
