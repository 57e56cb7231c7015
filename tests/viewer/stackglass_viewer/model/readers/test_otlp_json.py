"""OpenTelemetry's profiles in large JSON: rows some at a time, as columns or by protobuf."""

from __future__ import annotations

import random
from typing import Any

import pytest
from google.protobuf import json_format

from harness.otlp_documents import encode, encode_json, list_labels, list_stacks, make, read
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.proto.otlp_pb2 import Sample
from stackglass_viewer.model.readers import json_pieces, otlp_json
from stackglass_viewer.model.readers.otlp_rows import RowConverter
from stackglass_viewer.model.readers.otlp_samples import OtlpSamples


def test_large_documents_are_encoded_in_pieces() -> None:
    sample = {"stackIndex": 1, "values": ["7"]}
    document = make(samples=[sample] * 9000)
    document["dictionary"]["stringTable"] += [f"text {number}" for number in range(20_000)]
    content = encode_json(document)
    assert list_stacks(read(content)) == list_stacks(read(encode(document)))


FORMS: tuple[dict[str, Any], ...] = (
    {"stackIndex": 1, "values": ["7", 8]},
    {"stack_index": "1", "values": ["-7"], "linkIndex": 0},
    {"stackIndex": 1.0, "values": ["1e1"]},  # protobuf's JSON permits these
    {"stackIndex": 1, "values": ["7"], "linkIndex": None, "attributeIndices": None},
    {"stackIndex": 1, "values": ["7"], "later": {"version": 2}},
    {"stackIndex": 1, "timestampsUnixNano": ["1700000000000000000", 1700000000000000001]},
    {},
)


@pytest.mark.parametrize("form", FORMS)
def test_rows_in_pieces_have_every_form_that_protobuf_permits(
    form: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", 0)
    document = make(samples=[FORMS[0], form])
    found = read(encode_json(document))
    monkeypatch.setattr(RowConverter, "read", lambda *_: None)
    expected = read(encode_json(document))
    assert list_stacks(found) == list_stacks(expected)
    assert list_labels(found) == list_labels(expected)


@pytest.mark.parametrize("n_bytes_at_once", [0, 1 << 17])
def test_exponents_are_read_with_every_version_of_protobuf(
    n_bytes_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_format, "_ConvertInteger", int)  # as before version 6.30
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", n_bytes_at_once)
    document = make(samples=[{"stackIndex": "1e0", "values": ["2.5e1", "-10E-1"]}])
    document["dictionary"]["stringTable"][1] = "1e1"  # a text stays one
    found = read(encode_json(document))
    monkeypatch.undo()
    assert list_stacks(found) == list_stacks(read(encode_json(document)))
    assert "1e1" in found.strings


def test_an_exponent_that_is_no_integer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_format, "_ConvertInteger", int)
    for value in ("1e-1", "1e400", "e1", "nan"):
        with pytest.raises(ContentError, match="damaged"):
            read(encode_json(make(samples=[{"stackIndex": 1, "values": [value]}])))


@pytest.mark.parametrize(
    "form",
    [
        {"stackIndex": 1 << 40, "values": ["7"]},
        {"stackIndex": 1, "values": [str(1 << 64)]},
        {"stackIndex": True, "values": ["7"]},
        {"stackIndex": 1, "values": "7"},
        {"stackIndex": 1, "values": [[]]},
        {"stackIndex": {}},
    ],
)
def test_rows_of_no_form_are_damage(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", 0)
    with pytest.raises(
        ContentError, match="it is an OpenTelemetry profile in JSON, but is damaged"
    ):
        read(encode_json(make(samples=[form])))


def test_what_is_usual_is_not_left_to_protobuf() -> None:
    reader = RowConverter(Sample.DESCRIPTOR)
    assert reader.read([FORMS[0], FORMS[1]]) == [
        {"stack_index": 1, "values": [7, 8]},
        {"stack_index": 1, "values": [-7], "link_index": 0},
    ]
    assert [reader.read([form]) is None for form in FORMS[2:]] == [True, True, True, False, False]


def test_samples_in_columns_are_those_of_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(9)
    choices: dict[str, list[Any]] = {
        "stackIndex": [0, 1],
        "linkIndex": [0, 1],
        "attributeIndices": [[], [1], [2, 1], [1, 2]],
        "values": [[], ["7"], [-9, "2"]],
        "timestampsUnixNano": [[], ["1700000000000000000", 1]],
    }
    samples = [
        {name: rng.choice(each) for name, each in choices.items() if rng.random() < 0.7}
        for _ in range(400)
    ]
    document = make(samples=samples)
    scope = document["resourceProfiles"][0]["scopeProfiles"][0]
    short = {**scope["profiles"][0], "samples": samples[:9]}
    scope["profiles"] = [{"samples": []}, short, *scope["profiles"]]
    expected = read(encode_json(document))  # by protobuf's parser of JSON
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", 1000)
    monkeypatch.setattr(json_pieces, "_TABLE_BYTES", 2000)
    found = read(encode_json(document))
    assert list_stacks(found) == list_stacks(expected)
    assert list_labels(found) == list_labels(expected)
    monkeypatch.setattr(OtlpSamples, "add", None)  # no piece needs protobuf
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", 100)
    assert list_stacks(read(encode_json(document))) == list_stacks(expected)


WRONG_ROWS = [
    ({"stackIndex": 2}, "there is no stack 2"),
    ({"stackIndex": -1}, "there is no stack -1"),
    ({"linkIndex": 2}, "there is no link 2"),
    ({"linkIndex": -1}, "there is no link -1"),
    ({"attributeIndices": [3]}, "there is no attribute 3"),
    ({"attributeIndices": [-1]}, "there is no attribute -1"),
    ({"attributeIndices": [2**31]}, "there is no row 2147483648"),
    ({"attributeIndices": [0] * 4097}, "a sample of more than 4096 attributes"),
    ({"values": [str(2**63 - 1)]}, "63 bits cannot hold"),
    ({"values": [str(2**62), str(2**62)]}, "63 bits cannot hold"),
]


@pytest.mark.parametrize(("row", "message"), WRONG_ROWS)
def test_columns_that_refer_to_nothing_are_refused(
    row: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", 0)
    content = encode_json(make(samples=[{"values": ["1"]}, row]))
    with pytest.raises(ContentError, match=message):
        read(content)


def test_large_values_of_both_signs_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp_json, "_WHOLE_BYTES", 0)
    half = 2**62
    rows = [{"values": [str(half), str(half - 1), str(-half), str(-half)]}, {"values": [5]}]
    assert list_stacks(read(encode_json(make(samples=rows)))) == [([], [4])]
