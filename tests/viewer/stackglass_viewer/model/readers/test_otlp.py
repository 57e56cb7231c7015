"""OpenTelemetry's profiles: tables, labels, several profiles, JSON, and versions that differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.otlp_documents import (
    START_NS,
    encode,
    encode_json,
    list_labels,
    list_stacks,
    make,
    read,
)
from harness.reader_seeds import SEEDS, pack_raw_zstd
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.readers import otlp
from stackglass_viewer.model.readers.opener import open_content

EITHER = pytest.mark.parametrize("form", [encode, encode_json], ids=["protobuf", "json"])
Form = Callable[[dict[str, Any]], bytes]


@EITHER
def test_values_stacks_and_times(form: Form) -> None:
    profile = read(form(make()))
    assert list_stacks(profile) == [(["main", "main"], [9]), ([], [1])]
    assert [(each.name, each.unit) for each in profile.sample_types] == [("cpu", "ns")]
    assert (profile.time_unix_ns, profile.duration_ns) == (START_NS, 9)
    assert profile.locations.line_number.tolist() == [7]
    assert profile.locations.address.tolist() == [0, 20]
    assert profile.locations.mapping.tolist() == [-1, 0]
    assert profile.mappings.start.tolist() == [16]
    assert [profile.strings[each] for each in profile.functions.filename] == ["a.py"]


@EITHER
def test_attributes_links_scope_and_resource_are_labels(form: Form) -> None:
    owner = {"otel.scope.name": "tool", "otel.scope.version": "2", "service.name": "a"}
    assert list_labels(read(form(make()))) == [
        {"thread": "[true]", "a.py By": 9, **owner},
        {"trace_id": "ab" * 16, "span_id": "cd" * 8, **owner},
    ]


@EITHER
def test_the_nearest_of_equal_keys_counts(form: Form) -> None:
    table = [
        {},
        {"keyStrindex": 5, "value": {"stringValue": "own"}},
        {"keyStrindex": 5, "value": {"doubleValue": 1.5}},
        {"keyStrindex": 5},
    ]
    samples = [{"values": [1], "attributeIndices": [each]} for each in (1, 3)]
    document = make(attributeTable=table, samples=samples, attributeIndices=[2])
    assert [each["thread"] for each in list_labels(read(form(document)))] == ["own", "1.5"]


@EITHER
def test_a_sample_s_attribute_counts_before_its_resource_s(form: Form) -> None:
    """The key of the one is a number, that of the other is text."""
    table = [{}, {"keyStrindex": 5, "value": {"stringValue": "own"}}]
    document = make(attributeTable=table, samples=[{"values": [1], "attributeIndices": [1]}])
    owner = document["resourceProfiles"][0]["resource"]
    owner["attributes"] = [{"key": "thread", "value": {"stringValue": "of all"}}]
    profile = read(form(document))
    assert list_labels(profile)[0]["thread"] == "own"
    assert len(set(profile.labels.key.tolist())) == len(profile.labels.key)


@EITHER
def test_keys_within_a_value_may_be_strings_of_the_table(form: Form) -> None:
    pairs = [
        {"keyStrindex": 5, "value": {"boolValue": True}},
        {"key": "own", "value": {"boolValue": False}},
    ]
    table = [{}, {"keyStrindex": 5, "value": {"kvlistValue": {"values": pairs}}}]
    document = make(attributeTable=table, samples=[{"values": [1], "attributeIndices": [1]}])
    assert list_labels(read(form(document)))[0]["thread"] == '{"thread": true, "own": false}'


@EITHER
def test_profiles_of_several_types_are_columns_of_one(form: Form) -> None:
    document = make()
    scope = document["resourceProfiles"][0]["scopeProfiles"][0]
    other = {**scope["profiles"][0], "sampleType": {"typeStrindex": 3, "unitStrindex": 6}}
    other["periodType"], other["period"] = {"typeStrindex": 1, "unitStrindex": 2}, "10"
    scope["profiles"].append({**other, "samples": [{"stackIndex": 1, "values": ["4"]}]})
    scope["profiles"].append({**other, "samples": [{"linkIndex": 1, "values": [5]}]})
    profile = read(form(document))
    assert [each.name for each in profile.sample_types] == ["cpu", "main"]
    assert profile.default_type == 0
    rows = sorted(zip(list_stacks(profile), list_labels(profile), strict=True), key=str)
    assert [(stack, values, "trace_id" in labels) for (stack, values), labels in rows] == [
        (["main", "main"], [0, 4], False),
        (["main", "main"], [9, 0], False),
        ([], [1, 5], True),
    ]
    assert profile.period_type is not None
    assert (profile.period_type.name, profile.period) == ("cpu", 10)


@EITHER
def test_samples_of_one_identity_are_one(form: Form) -> None:
    samples = [
        {"stackIndex": 1, "attributeIndices": each, "values": [3]} for each in ([1, 2], [2, 1])
    ]
    assert list_stacks(read(form(make(samples=samples)))) == [(["main", "main"], [6])]


def test_a_build_id_is_the_mapping_s() -> None:
    strings = ["", "cpu", "ns", "main", "a.py", "process.executable.build_id.gnu"]
    table = [{}, {"keyStrindex": 5, "value": {"stringValue": "beef"}}]
    mapping = [{}, {"filenameStrindex": 4, "attributeIndices": [1]}]
    document = make(stringTable=strings, attributeTable=table, mappingTable=mapping, samples=[])
    profile = read(encode(document))
    assert [profile.strings[each] for each in profile.mappings.build_id] == ["beef"]


def test_documents_in_lines_are_added_up() -> None:
    later = make(timeUnixNano=str(START_NS + 90))
    content = encode_json(make()) + b"\n" + encode_json(later) + b"\n"
    profile = read(content)
    assert list_stacks(profile) == [(["main", "main"], [18]), ([], [2])]
    assert (profile.time_unix_ns, profile.duration_ns) == (START_NS, 99)


def test_the_duration_of_documents_fits_a_file() -> None:
    one, other = (make(timeUnixNano=at, durationNano=str(2**63 - 1)) for at in ("1", "100"))
    assert read(encode_json(one) + encode_json(other)).duration_ns == 2**63 - 1


WRONG: tuple[dict[str, Any], ...] = (
    {"samples": [{"stackIndex": 2, "values": [1]}]},
    {"samples": [{"stackIndex": -1, "values": [1]}]},
    {"samples": [{"linkIndex": 2, "values": [1]}]},
    {"samples": [{"attributeIndices": [3], "values": [1]}]},
    {"samples": [{"attributeIndices": [-1], "values": [1]}]},
    {"samples": [{"values": [2**62, 2**62]}]},
    {"sampleType": {"typeStrindex": 7}},
    {"sampleType": {"typeStrindex": -1}},
    {"stringTable": ["cpu"]},
    {"stackTable": [{}, {"locationIndices": [2]}]},
    {"locationTable": [{}, {"lines": [{"functionIndex": 2}]}]},
    {"locationTable": [{}, {"mappingIndex": 2}]},
    {"functionTable": [{}, {"nameStrindex": 7}]},
    {"mappingTable": [{}, {"filenameStrindex": -1}]},
    {"mappingTable": [{}, {"attributeIndices": [3]}]},
    {"attributeTable": [{}, {"keyStrindex": 7}, {}]},
)


@EITHER
@pytest.mark.parametrize("changes", WRONG, ids=lambda each: next(iter(each)))
def test_what_refers_to_nothing_is_refused(changes: dict[str, Any], form: Form) -> None:
    with pytest.raises(ContentError, match=r"damaged|63 bits"):
        read(form(make(**changes)))


def field(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | 2, len(content))) + content


def make_raw(*samples: bytes, profile: bytes = b"", n_attributes: int = 2) -> bytes:
    """A message with samples as they are."""
    profile = field(1, b"\x08\x01") + b"".join(field(2, each) for each in samples) + profile
    tables = field(1, b"") + field(2, b"") + field(5, b"") + field(5, b"cpu") + field(7, b"")
    tables += field(6, b"") * n_attributes + field(7, b"")
    return field(1, field(1, b"") + field(2, field(2, profile))) + field(2, tables)


TIMES = field(5, bytes(8))
PACKED = field(2, b"\x01")
OLD: tuple[tuple[bytes, str], ...] = (
    (make_raw(b"\x08\x01" + PACKED), "1.9"),  # values, no times
    (make_raw(PACKED + b"\x1a\x01\x01" + TIMES), "1.9"),  # and attributes
    (make_raw(PACKED + b"\x20\x01" + TIMES), "1.9"),  # and a link
    (make_raw(field(2, b"\x07") + TIMES), "1.9"),  # there is no attribute 7
    (make_raw(field(2, b"\x01\x01") + field(5, bytes(16))), "1.9"),  # an attribute twice
    (make_raw(b"\x08\x01\x10\x01\x1a\x01\x07"), "1.9"),  # a range of locations, and values
    (make_raw(b"\x08\x01\x22\x01\x07", profile=b"\x1a\x01\x00"), "1.7"),
    (field(1, field(1, b"") + field(2, field(2, field(1, b"\x08\x01")))), "1.6"),  # no tables
    (field(1, field(2, field(2, b""))) + field(2, b"") + field(6, b"cpu"), "1.6"),
)


@pytest.mark.parametrize(("content", "version"), OLD)
def test_a_version_with_other_numbers_is_refused_by_name(content: bytes, version: str) -> None:
    with pytest.raises(
        ContentError, match=rf"OpenTelemetry profile of version {version}"
    ) as caught:
        read(content)
    assert len(str(caught.value)) < 160


def test_samples_that_could_be_of_either_version_are_of_the_current_one() -> None:
    content = make_raw(field(2, b"\x01") + TIMES, field(2, b"\x01\x02") + TIMES, n_attributes=3)
    assert list_stacks(read(content)) == [([], [1]), ([], [1])]


@pytest.mark.parametrize(
    ("document", "version"),
    [
        ({"resourceProfiles": [{"scopeProfiles": [{"profiles": [{}]}]}]}, "1.6"),
        (
            {
                "resourceProfiles": [{"scopeProfiles": [{"profiles": [{"sample": []}]}]}],
                "dictionary": {},
            },
            "1.8",
        ),
    ],
)
def test_names_of_another_version_are_refused(document: dict[str, Any], version: str) -> None:
    with pytest.raises(ContentError, match=rf"OpenTelemetry profile of version {version}"):
        read(encode_json(document))


def test_a_stack_that_many_samples_share_is_not_spread_without_limit() -> None:
    table = [{}, {"locationIndices": [1] * 4000}]
    samples = [
        {"stackIndex": 1, "linkIndex": 0, "attributeIndices": [k], "values": [1]} for k in range(3)
    ]
    document = make(stackTable=table, samples=samples, attributeTable=[{}] * 4)
    assert read(encode(document)).n_samples == 3
    many = [{"stackIndex": 1, "attributeIndices": [k], "values": [1]} for k in range(1100)]
    with pytest.raises(ContentError, match="too many and too deep"):
        read(encode(make(stackTable=table, samples=many, attributeTable=[{}] * 1100)))


@pytest.mark.parametrize("content", [{"\ud800": 1}, {"name": "\ud800"}], ids=["name", "text"])
def test_half_a_surrogate_pair_is_damage(content: dict[str, Any]) -> None:
    with pytest.raises(ContentError, match=r"is damaged \(a text is not valid Unicode"):
        read(encode_json({**make(), "resourceProfiles": [content]}))


def test_a_whole_surrogate_pair_is_one_letter() -> None:
    document = make()
    document["dictionary"]["stringTable"][3] = "\U0001f600"
    content = encode_json(document)
    assert b"\\ud83d" in content
    assert "\U0001f600" in read(content).strings


def test_reading_can_be_cancelled() -> None:
    samples = [{"values": [1]}] * 5000
    with pytest.raises(CancelledError):
        open_content(encode(make(samples=samples)), "file", is_cancelled=lambda: True)


def test_no_profiles_is_one_sentence() -> None:
    with pytest.raises(ContentError, match="no sample types"):
        read(encode({"resourceProfiles": [{"resource": {"attributes": []}}], "dictionary": {}}))


def frame(*messages: bytes) -> bytes:
    return b"".join(len(each).to_bytes(4, "big") + each for each in messages)


def test_messages_with_their_lengths_are_added_up() -> None:
    message = encode(make())
    once, twice = read(frame(message)), read(frame(message, message))
    assert list_stacks(once) == list_stacks(read(message))
    doubled = [(stack, [2 * each for each in values]) for stack, values in list_stacks(once)]
    assert sorted(list_stacks(twice)) == sorted(doubled)


@pytest.mark.parametrize("n_bytes", [1, 5, 60])
def test_a_message_that_is_cut_off_is_named(n_bytes: int) -> None:
    message = encode(make())
    with pytest.raises(ContentError, match="message 2 of OpenTelemetry is cut off"):
        read(frame(message, message)[: 4 + len(message) + n_bytes])
    with pytest.raises(ContentError, match="message 1 of OpenTelemetry is cut off"):
        read(frame(message)[:-1])


def test_messages_that_a_collector_packed_are_added_up() -> None:
    pytest.importorskip("zstandard")
    profile = read(SEEDS["otlp-packed"])
    assert list_stacks(profile) == [(["main", "main"], [18]), ([], [1]), ([], [1])]


def test_a_packed_message_that_is_no_profile_is_refused() -> None:
    pytest.importorskip("zstandard")
    for content, message in (
        (frame(pack_raw_zstd(b"text " * 99)), "unpacked, it is a text file, not a profile"),
        (SEEDS["otlp-packed"][:-3], "message 2 of OpenTelemetry is cut off"),
        (frame(pack_raw_zstd(encode(make()))[:-3]), "its zstd compression ends too early"),
    ):
        with pytest.raises(ContentError, match=message):
            read(content)


def test_packed_messages_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("zstandard")
    monkeypatch.setattr(otlp, "MAX_UNPACKED_BYTES", len(encode(make())) + 10)
    with pytest.raises(ContentError, match="it unpacks to more than"):
        read(SEEDS["otlp-packed"])


def test_samples_are_decoded_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [{"stackIndex": 1, "values": [str(number)]} for number in range(100)]
    content = encode(make(samples=samples))
    expected = list_stacks(read(content))
    shares: list[float] = []
    monkeypatch.setattr(otlp, "_PIECE_BYTES", 30)
    assert list_stacks(read(content)) == expected
    open_content(content, "file", report=shares.append)
    assert len(shares) > 20
    assert shares == sorted(shares)
