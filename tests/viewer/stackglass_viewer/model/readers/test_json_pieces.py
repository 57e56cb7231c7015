"""JSON in pieces: the same values as of the whole, and every damage is an error."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.readers import json_pieces
from stackglass_viewer.model.readers.json_damage import DAMAGE
from stackglass_viewer.model.readers.json_pieces import (
    JsonPart,
    close_list,
    find_document,
    open_document,
)
from stackglass_viewer.model.readers.text_rows import ignore_progress
from stackglass_viewer.native import _loops

ITEMS: list[Any] = [1, None, 'a,]}\\"[', "\\", [], {}, [[1, 2], {"a": [3]}], {"b,": "}"}, 1e9, True]


def open_text(text: str) -> JsonPart:
    return open_document(text.encode(), ignore_progress)


@pytest.fixture(params=[1, 9, 1 << 17], ids=["item", "some", "all"])
def piece_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "_PIECE_BYTES", request.param)


@pytest.mark.usefixtures("piece_bytes")
@pytest.mark.parametrize("indent", [None, 3])
def test_items_are_those_of_the_whole(indent: int | None) -> None:
    assert [*open_text(json.dumps(ITEMS, indent=indent)).list_items()] == ITEMS


@pytest.mark.parametrize("indent", [None, 3])
def test_members_are_parts(indent: int | None) -> None:
    document = {"first": ITEMS, 'a "name" \\': {"x": 1}, "none": None}
    members = open_text(json.dumps(document, indent=indent)).find_members()
    assert {name: part.load() for name, part in members.items()} == document
    assert [part.load() for part in members["first"].list_parts()] == ITEMS
    assert (members["first"].is_list, members["none"].is_list) == (True, False)


def test_of_equal_members_the_last_counts() -> None:
    assert open_text('{"a": 1, "a": [2]}').find_members()["a"].load() == [2]


@pytest.mark.parametrize("text", ["[]", " [ ] ", "{}", "\ufeff[]", '{"a":[]}'])
def test_what_is_empty_has_no_items(text: str) -> None:
    document = open_text(text)
    if document.is_object:
        assert {name: [*part.list_items()] for name, part in document.find_members().items()} in (
            {},
            {"a": []},
        )
    else:
        assert [*document.list_items()] == []


DAMAGED = [
    "",
    "5",
    "[",
    "{",
    "[1",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1}",
    '["a]',
    "[1] 2",
    "[1]]",
    "[1 2]",
]


@pytest.mark.usefixtures("piece_bytes")
@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_lists_are_errors(text: str) -> None:
    with pytest.raises(DAMAGE):
        list(open_text(text).list_items())


@pytest.mark.parametrize(
    "text", ["[]", '{"a":1]', '{"a"}', "{1:2}", '{"a":1,}', '{,"a":1}', '{"a:1}']
)
def test_damaged_objects_are_errors(text: str) -> None:
    with pytest.raises(DAMAGE):
        open_text(text).find_members()


def test_a_value_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "_MAX_PIECE_BYTES", 99)
    with pytest.raises(ValueError, match="a value of 100 bytes"):
        open_text(json.dumps("x" * 98).join("[]")).read_rows()


def test_numbers_may_be_missing() -> None:
    assert open_text("[0, null, 7]").read_rows().tolist() == [0, -1, 7]
    assert open_text("[0, null, 1.5]").read_floats().tolist() == [0, 0, 1.5]
    for text in ("[-1]", "[-1, null]"):
        with pytest.raises(IndexError):
            open_text(text).read_rows()
    with pytest.raises(TypeError):
        open_text('["1"]').read_rows()


def test_documents_may_follow_each_other() -> None:
    content = b'{"a":1}\n [2]\n'
    first, at = find_document(content, 0, ignore_progress)
    second, end = find_document(content, at, ignore_progress)
    assert (first.load(), second.load(), end) == ({"a": 1}, [2], len(content))


def test_a_list_may_lack_its_end() -> None:
    for cut in (b"[1, 2", b"[1, 2,\n"):
        assert [*open_document(close_list(cut), ignore_progress).list_items()] == [1, 2]
    assert close_list(b"[1]") == b"[1]"
    assert close_list(b'{"a": [1') == b'{"a": [1'


@pytest.mark.usefixtures("piece_bytes")
def test_reading_reports_and_can_be_cancelled() -> None:
    shares: list[float] = []
    [*open_document(json.dumps(ITEMS).encode(), shares.append).list_items()]
    assert shares == sorted(shares)
    assert 0.9 < shares[-1] <= 1

    def cancel(_share: float) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        [*open_document(b"[1, 2]", cancel).list_items()]


def test_the_scan_stays_inside() -> None:
    assert _loops.find_items_end(b"1,2]", 0, 0) == 1
    assert _loops.find_items_end(b"1,2]", 0, 2) == 3
    assert _loops.find_items_end(b'"a\\', 0, 0) == 3
    assert _loops.find_items_end(b"", 0, 1 << 62) == 0
    for at, n_bytes in ((-1, 0), (5, 0), (0, -1)):
        with pytest.raises(ValueError, match="out of range"):
            _loops.find_items_end(b"1,2]", at, n_bytes)


def find_end_slowly(text: bytes, at: int, n_bytes: int) -> int:
    """Byte by byte, as json_items.h says it."""
    wanted, depth, is_string = at + n_bytes, 0, False
    while at < len(text):
        letter = text[at : at + 1]
        if is_string:
            at += letter == b"\\"
            is_string = letter != b'"'
        elif letter == b'"':
            is_string = True
        elif letter in b"[{":
            depth += 1
        elif letter in b"]}":
            if depth == 0:
                return at
            depth -= 1
        elif letter == b"," and depth == 0 and at >= wanted:
            return at
        at += 1
    return min(at, len(text))


def test_the_scan_finds_what_a_plain_one_finds() -> None:
    rng = random.Random(5)
    for _ in range(3000):
        letters = rng.choice(
            (b'",[]{}\\a', b'aaaaaaaaaaaaaaaa,"', b"1234567890,,,]", b"ab[]{}\xdb\xfd")
        )
        text = bytes(rng.choices(letters, k=rng.randrange(60)))
        at = rng.randrange(len(text) + 1)
        n_bytes = rng.choice((0, 1, 7, 8, 9, 30, 100))
        assert _loops.find_items_end(text, at, n_bytes) == find_end_slowly(text, at, n_bytes), text


PLAIN = ["0", "7", "-3", "12.50", " 1 ", "\t2\n", "999999999999999999", "0.000001", "null", "-0.25"]
OTHERS = ["1e3", "1.5E-2", "1234567890123456789", "12345678.123456789012", "9007199254740993.5"]
NO_NUMBERS = ['"1"', "01", "1.", ".5", "-", "+1", "1 2", "nul", "nulls", "[1]", "", "NaN1", "\x0b1"]


def test_numbers_are_those_of_pythons_parser() -> None:
    rng = random.Random(6)
    for length in (1, 2, 50):
        for kinds in (PLAIN, [*PLAIN, *OTHERS], ["0", "12", " null", "1234567890123456789"]):
            texts = rng.choices(kinds, k=length)
            text = "[" + ",".join(texts) + "]"
            numbers = json.loads(text)
            assert open_text(text).read_floats().tolist() == [float(each or 0) for each in numbers]
            if all(each is None or (isinstance(each, int) and each >= 0) for each in numbers):
                rows = [-1 if each is None else each for each in numbers]
                assert open_text(text).read_rows().tolist() == rows
    decimals = [f"{rng.randrange(10**9)}.{rng.randrange(10**6):06}" for _ in range(2000)]
    text = "[" + ",".join(decimals) + "]"
    assert open_text(text).read_floats().tolist() == json.loads(text)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_an_error(text: str) -> None:
    for whole in (f"[{text}]", f"[1,{text}]", f"[{text},1]"):
        if whole == "[]":
            continue
        with pytest.raises(DAMAGE):
            open_text(whole).read_floats()
        with pytest.raises(DAMAGE):
            open_text(whole).read_rows()


@pytest.mark.parametrize("text", OTHERS)
def test_forms_that_are_rare_are_left_to_python(text: str) -> None:
    assert _loops.read_json_floats(text.encode(), 0, len(text)) is None
    assert _loops.read_json_rows(text.encode(), 0, len(text)) is None
    assert _loops.read_json_rows(b"1,-2", 0, 4) is None


def test_numbers_stay_inside() -> None:
    column = _loops.read_json_floats(b"5,12,34", 2, 4)
    assert column is not None
    assert memoryview(column).tolist() == [12.0]
    for begin, end in ((-1, 2), (3, 2), (0, 8)):
        with pytest.raises(ValueError, match="out of range"):
            _loops.read_json_rows(b"5,12,34", begin, end)
