"""Lists of JSON objects as columns: the same numbers as Python's parser, or none."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from stackglass_viewer.model.readers.json_pieces import JsonColumn, open_document
from stackglass_viewer.model.readers.text_rows import ignore_progress
from stackglass_viewer.native import _loops

NAMES = (b"a", b"list[]")
OTHERS = [
    '{"b":1}',
    '{"a":1,"a":2}',
    '{"a":null}',
    '{"a":true}',
    '{"a":1.5}',
    '{"a":1e3}',
    '{"a":01}',
    '{"a":[1]}',
    '{"a":{}}',
    '{"a":"1 "}',
    '{"a":""}',
    '{"a":"1}',
    '{"a":-}',
    '{"a":9223372036854775808}',
    '{"a":99999999999999999999}',
    '{"list":1}',
    '{"list":[1,]}',
    '{"list":[,1]}',
    '{"list":[1 2]}',
    '{"list":[[1]]}',
    '{"list":[1}',
    '{"\\u0061":1}',
    '{"a" 1}',
    '{"a":1,}',
    '{"a":1',
    "{a:1}",
    '{"a',
    "[]",
    "7",
    "",
    "{} {}",
    "{},",
]


def read(text: str) -> list[list[int]] | None:
    """Counts and numbers of both columns."""
    content = f"x{text}x".encode()  # what is around it is not read
    columns = _loops.read_json_table(content, 1, len(content) - 1, NAMES)
    return None if columns is None else [memoryview(each).tolist() for each in columns]


def expect(rows: list[dict[str, Any]]) -> list[list[int]]:
    numbers = [[int(each["a"])] if "a" in each else [] for each in rows]
    lists = [[*map(int, each.get("list", ()))] for each in rows]
    return [
        column
        for each in (numbers, lists)
        for column in ([*map(len, each)], [one for row in each for one in row])
    ]


def test_numbers_are_those_of_pythons_parser() -> None:
    rng = random.Random(8)
    values = [0, 7, -3, "12", "-12", 2**63 - 1, str(2**63 - 1), "-9223372036854775807"]
    for _ in range(300):
        rows: list[dict[str, Any]] = []
        for _ in range(rng.randrange(1, 9)):
            members = {"a": rng.choice(values), "list": rng.choices(values, k=rng.randrange(4))}
            names = rng.sample([*members], k=rng.randrange(3))
            rows.append({name: members[name] for name in names})
        indent = rng.choice((None, 1))
        text = json.dumps(rows, indent=indent)[1:-1]
        assert read(text) == expect(rows), text


@pytest.mark.parametrize("text", OTHERS)
def test_other_forms_are_left_to_python(text: str) -> None:
    assert read(text) is None
    assert read('{"a":1},' + text) is None


def test_pieces_that_have_another_form_are_objects() -> None:
    rows: list[dict[str, Any]] = [{"a": 5, "list": ["6", 7]}, {}] * 40_000
    rows[-1] = {"later": [None]}
    part = open_document(json.dumps(rows).encode(), ignore_progress)
    first, *others, last = part.list_tables(NAMES)
    assert others
    assert isinstance(first[0], JsonColumn)
    assert [each.sizes[:2].tolist() for each in first] == [[1, 0], [2, 0]]
    assert [each.numbers[:2].tolist() for each in first] == [[5, 5], [6, 7]]
    assert last[-1] == {"later": [None]}


def test_places_and_names_are_checked() -> None:
    for begin, end in ((-1, 2), (3, 2), (0, 8)):
        with pytest.raises(ValueError, match="out of range"):
            _loops.read_json_table(b'{"a":1}', begin, end, NAMES)
    for names in ((), (b"a",) * 17):
        with pytest.raises(ValueError, match="too few or too many"):
            _loops.read_json_table(b"{}", 0, 2, names)
    with pytest.raises(TypeError):
        _loops.read_json_table(b"{}", 0, 2, ("a",))  # type: ignore[arg-type]
