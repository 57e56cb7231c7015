"""Texts: numbers and strings as a dictionary has them, whatever the texts are."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass_viewer.model.readers.sample_columns import replace_surrogates
from stackglass_viewer.native import _loops

ANY_TEXT = st.text(st.characters(), max_size=9)  # halves of surrogate pairs, too


@given(st.lists(ANY_TEXT))
def test_numbers_and_texts_are_those_of_a_dictionary(texts: list[str]) -> None:
    table, known = _loops.Texts(), dict[str, int]()
    for text in [*texts, *texts]:
        assert table.add(text) == known.setdefault(text, len(known))
    assert len(table) == len(known)
    assert list(table) == list(known)
    table.seal()
    assert list(table) == list(map(replace_surrogates, known))
    assert [*reversed(table)] == [*map(replace_surrogates, known)][::-1]


def test_none_of_many_texts_is_lost_as_the_table_grows() -> None:
    rng = random.Random(5)
    texts = [f"{number:x}" * rng.choice([1, 1, 4]) for number in range(300_000)]
    known: dict[str, int] = {}
    table = _loops.Texts()
    for text in [*texts, *texts[::-1]]:
        assert table.add(text) == known.setdefault(text, len(known))
    assert [table[number] for number in known.values()] == list(known)
    assert table[-1] == [*known][-1]


@given(st.lists(st.binary(max_size=9)))
def test_pieces_are_as_python_decodes_them(pieces: list[bytes]) -> None:
    length = np.array([*map(len, pieces)], dtype=np.int64)
    table = _loops.Texts()
    table.append_pieces(b"".join(pieces), np.cumsum(length) - length, length)
    assert list(table) == [piece.decode(errors="replace") for piece in pieces]


def test_appended_texts_are_not_found() -> None:
    table = _loops.Texts()
    table.append_pieces(b"aa", *(np.array(each, dtype=np.int64) for each in ([0, 1], [1, 1])))
    table.append("a\ud800")
    assert [table.add("a"), table.add("a"), *table] == [3, 3, "a", "a", "a\ud800", "a"]
    table.seal()
    assert table[2] == "a\ufffd"


@pytest.mark.parametrize("n_appended", [127, 128, 511, 512, 5_000])
def test_a_text_is_added_after_many_were_appended(n_appended: int) -> None:
    """The table doubled once, and had no slot for each text: the look-up did not end."""
    table = _loops.Texts()
    for number in range(n_appended):
        table.append(f"{number}")
    assert [table.add("new"), table.add("newer"), table.add("new")] == [
        n_appended,
        n_appended + 1,
        n_appended,
    ]
    assert len(table) == n_appended + 2


@pytest.mark.parametrize("piece", [(-1, 1), (4, 1), (0, 4), (2, -1), (3, 2**62), (-(2**63), 0)])
def test_a_piece_outside_of_the_text_is_refused(piece: tuple[int, int]) -> None:
    start, length = (np.array([0, each, 1], dtype=np.int64) for each in piece)
    with pytest.raises(ValueError, match="outside of the text"):
        _loops.Texts().append_pieces(b"abc", start, length)
    with pytest.raises(ValueError, match="as many lengths"):
        _loops.Texts().append_pieces(b"abc", start, length[:2])


def test_a_sealed_table_takes_no_more_texts() -> None:
    table = _loops.Texts()
    table.add("a")
    table.seal()
    for _ in range(2):
        with pytest.raises(ValueError, match="sealed"):
            table.add("a")
        with pytest.raises(ValueError, match="sealed"):
            table.append("a")
        with pytest.raises(ValueError, match="sealed"):
            table.append_pieces(b"a", np.zeros(1, np.int64), np.ones(1, np.int64))
        table.seal()
    assert list(table) == ["a"]


def test_a_table_is_a_sequence() -> None:
    table = _loops.Texts()
    texts = ["", "main", "w\u00f6rk", "f"]
    for text in texts:
        table.append(text)
    assert [table.index("f"), table.count("main"), table.count("x")] == [3, 1, 0]
    assert "f" in table
    assert "x" not in table
    with pytest.raises(ValueError, match="not in"):
        table.index("x")
    assert [table[np.int32(1)], table[-1], table[-4]] == ["main", "f", ""]
    for piece in (slice(None), slice(1, None), slice(-3, 1), slice(None, None, -1)):
        assert table[piece] == tuple(texts)[piece]
    for number in (4, -5):
        with pytest.raises(IndexError):
            table[number]
    with pytest.raises(TypeError):
        table["f"]  # type: ignore[call-overload]


def test_what_is_no_text_is_refused() -> None:
    table = _loops.Texts()
    with pytest.raises(TypeError):
        table.add(b"a")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        table.append(7)  # type: ignore[arg-type]
    for number in (0, -1):
        with pytest.raises(IndexError):
            table[number]
