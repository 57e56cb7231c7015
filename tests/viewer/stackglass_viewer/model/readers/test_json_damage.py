"""What is said of JSON of another shape: no names of Python's classes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.opener import open_content


def fail_with(expression: str) -> BaseException:
    try:
        eval(expression, {"json": json, "deep": "[" * 100_000})
    except DAMAGE as error:
        return error
    raise AssertionError(expression)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("{}['nodes']", "it has no 'nodes'"),
        ("{}[7]", "it refers to 7, which it does not define"),
        ("{}[7, 8]", "it refers to an entry that it does not define"),
        (r"'\ud800'.encode()", "a text is not valid Unicode"),
        ("[][1]", "a number points beyond the end of a list"),
        ("json.loads('null')['a']", "a value is not of the type that its place needs"),
        ("(5).get('a')", "a value is not of the type that its place needs"),
        ("'a' + 1", "a value is not of the type that its place needs"),
        ("int('x')", "a value is not a number"),
        ("int(float('nan'))", "a value is not a number"),
        ("int(float('inf'))", "a number is too large"),
        ("(1 << 70).to_bytes(1, 'big')", "a number is too large"),
        ("json.loads(deep)", "its values are nested too deeply"),
    ],
)
def test_the_reason_is_in_plain_words(expression: str, reason: str) -> None:
    said = explain_damage("a Chrome trace", fail_with(expression))
    assert said == f"it is a Chrome trace, but is damaged ({reason})"


@pytest.mark.parametrize(
    "error", [ValueError("it has no end"), IndexError("there is no row 7"), TypeError("no list")]
)
def test_reasons_of_the_readers_are_kept(error: Exception) -> None:
    assert explain_damage("x", error) == f"it is x, but is damaged ({error})"


@pytest.mark.parametrize(
    "document",
    [
        {"nodes": [{"id": 1}], "startTime": 0, "endTime": 1, "samples": [2], "timeDeltas": [1]},
        {"head": {"callFrame": {"functionName": "f"}, "selfSize": "x", "children": []}},
        {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": 5},
        {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": []}},
        {"traceEvents": [{"ph": "X", "ts": "x", "dur": []}]},
    ],
    ids=range(5),
)
def test_a_damaged_file_names_no_class(document: Any) -> None:
    with pytest.raises(ContentError) as caught:
        open_content(json.dumps(document).encode(), "x")
    assert "Error" not in caught.value.message
