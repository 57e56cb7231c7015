"""Pieces of text: numbers by what they are, whatever their length and however they are made."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass_viewer.native import _loops


def go_on(_share: float) -> bool:
    return True


def read(content: bytes) -> tuple[list[bytes], list[int]]:
    """The different pieces, and the numbers of all stacks, root first."""
    lines = _loops.read_stack_lines(content, 1, go_on)
    places = zip(*(np.asarray(lines[f"frame_{each}"]) for each in ("begin", "bytes")), strict=True)
    stacks = np.split(np.asarray(lines["stack"]), np.asarray(lines["stack_start"])[1:-1])
    numbers = [int(number) for stack in stacks for number in stack[::-1]]
    return [content[at : at + size] for at, size in places], numbers


@given(
    st.lists(st.binary(max_size=70).filter(lambda text: not set(text) & set(b"\n;")), min_size=2)
)
def test_equal_pieces_have_the_same_number(pieces: list[bytes]) -> None:
    content = b";".join([b"x", *pieces, *pieces, b"y"])
    different = list(dict.fromkeys(content.split(b";")))
    assert read(content + b" 1") == (
        different,
        [different.index(each) for each in content.split(b";")],
    )


@pytest.mark.parametrize("size", [*range(1, 70), 127, 128, 129, 300])
def test_pieces_that_differ_in_one_byte_differ(size: int) -> None:
    text = bytes(random.Random(size).choices(range(65, 91), k=size))
    others = [text[:at] + b"." + text[at + 1 :] for at in range(size)]
    different, numbers = read(b";".join([text, *others, text, *others]) + b" 1")
    assert different == [text, *others]
    assert numbers == [*range(size + 1)] * 2


def test_none_of_many_pieces_is_lost_as_the_table_grows() -> None:
    """So many that some have the same 32 bits of a hash, whatever its keys are."""
    pieces = [b"%08x" % number for number in range(400_000)]
    lines = [b";".join(pieces[at : at + 1000]) + b" 1" for at in range(0, len(pieces), 1000)]
    different, numbers = read(b"\n".join(lines * 2))
    assert different == pieces
    assert numbers == [*range(400_000)] * 2


def test_pieces_that_weak_hashes_confuse_have_numbers_of_their_own() -> None:
    rng = random.Random(3)
    words = [b"A" * 8, b"B" * 8, b"C" * 8]
    families = (
        [b"".join(rng.choices(words, k=6)) for _ in range(20_000)],  # the same words, in any order
        [b"%05d" % n + b"=" * 43 for n in range(20_000)],  # equal but for their beginnings
        [
            bytes([n >> 8, n & 255]) * 20
            for n in range(65_536)
            if {n >> 8, n & 255}.isdisjoint(b"\n;")
        ],
        [b"\0" * n for n in range(1, 2000)],
        [bytes([bit]) + b"\0" * 7 + bytes([bit ^ 128]) for bit in range(64, 128)],
    )
    for pieces in families:
        content = b"".join(b"x;%b;x 1\n" % piece for piece in pieces)
        different, _ = read(content)
        assert different == [b"x", *dict.fromkeys(pieces)]


@pytest.mark.parametrize("n_bytes", [10, 3000, 400_000])
def test_pieces_have_a_number_however_many_were_copied(n_bytes: int) -> None:
    """The first MiB of pieces is copied; a piece that has no room ends that."""
    rng = random.Random(n_bytes)
    n = 200_000 // n_bytes if n_bytes == 10 else 3_000_000 // n_bytes
    pieces = [rng.randbytes(n_bytes).hex().encode() for _ in range(n)]
    pieces += [b"%d" % each for each in range(10)]
    order = [*range(len(pieces)), *rng.choices(range(len(pieces)), k=3 * len(pieces))]
    content = b"".join(pieces[each] + b" 1\n" for each in order)
    assert read(content) == (pieces, order)


@given(st.lists(st.binary(max_size=9)))
def test_texts_of_pieces_are_as_python_decodes_them(pieces: list[bytes]) -> None:
    length = np.array([*map(len, pieces)], dtype=np.int64)
    content = b"".join(pieces)
    texts = _loops.decode_pieces(content, np.cumsum(length) - length, length)
    assert texts == [piece.decode(errors="replace") for piece in pieces]


@pytest.mark.parametrize("piece", [(-1, 1), (4, 1), (0, 4), (2, -1), (3, 2**62), (-(2**63), 0)])
def test_a_piece_outside_of_the_text_is_refused(piece: tuple[int, int]) -> None:
    start, length = (np.array([0, each, 1], dtype=np.int64) for each in piece)
    with pytest.raises(ValueError, match="outside of the text"):
        _loops.decode_pieces(b"abc", start, length)
    with pytest.raises(ValueError, match="as many lengths"):
        _loops.decode_pieces(b"abc", start, length[:2])
