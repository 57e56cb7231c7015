"""JSON in pieces: the same values as of the whole, and every damage is an error."""

from __future__ import annotations

import json
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
