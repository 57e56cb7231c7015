"""OpenTelemetry's profiles as JSON documents: variants of the fuzzer's seed, and their stacks."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from google.protobuf import json_format

from harness.reader_seeds import SEEDS
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.otlp_pb2 import ProfilesData
from stackglass_viewer.model.readers.opener import open_content

START_NS = 1_700_000_000_000_000_000


def make(**changes: Any) -> dict[str, Any]:
    """Make the seed with other samples or tables."""
    document: dict[str, Any] = json.loads(SEEDS["otlp-json"])
    profile = document["resourceProfiles"][0]["scopeProfiles"][0]["profiles"][0]
    for name, value in changes.items():
        place = document["dictionary"] if name.endswith("Table") else profile
        place[name] = value
    return document


def encode(document: dict[str, Any]) -> bytes:
    document = json.loads(json.dumps(document))
    document["dictionary"].pop("linkTable", None)
    message: ProfilesData = json_format.ParseDict(document, ProfilesData())
    for trace, span in ((bytes(16), bytes(8)), (b"\xab" * 16, b"\xcd" * 8)):
        message.dictionary.link_table.add(trace_id=trace, span_id=span)
    return message.SerializeToString()


def encode_json(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


def read(content: bytes) -> Profile:
    profile = open_content(content, "file")
    assert isinstance(profile, Profile)
    return profile


def list_stacks(profile: Profile) -> list[tuple[list[str], list[int]]]:
    """List (names, leaf first; values) of each sample."""
    locations, samples = profile.locations, profile.samples
    names = [profile.strings[each] for each in profile.functions.name]
    lines = [
        [names[each] for each in locations.line_function[begin:end]]
        for begin, end in pairwise(locations.line_start.tolist())
    ]
    stacks = [
        [name for place in samples.stack[begin:end] for name in lines[place]]
        for begin, end in pairwise(samples.stack_start.tolist())
    ]
    return list(zip(stacks, samples.values.T.tolist(), strict=True))


def list_labels(profile: Profile) -> list[dict[str, str | int]]:
    labels = profile.labels
    found: list[dict[str, str | int]] = [{} for _ in range(profile.n_samples)]
    columns = (getattr(labels, name).tolist() for name in labels.__slots__)
    for sample, key, text, number, unit in zip(*columns, strict=True):
        strings = profile.strings
        value = strings[text] if text >= 0 else number
        found[sample][strings[key] + (f" {strings[unit]}" if unit else "")] = value
    return found
