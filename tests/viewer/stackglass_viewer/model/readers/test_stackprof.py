"""Ruby's stackprof: by clock, by CPU, objects; without times, and without stacks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers import json_pieces
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.recognition import recognise


def read(document: dict[str, Any]) -> Profile:
    content = json.dumps(document).encode()
    assert recognise(content) is FileKind.STACKPROF
    profile = open_content(content, "file")
    assert isinstance(profile, Profile)
    return profile


def make(**changes: Any) -> dict[str, Any]:
    return {**json.loads(SEEDS["stackprof"]), **changes}


def test_by_the_clock_times_are_the_deltas() -> None:
    profile = read(make())
    assert [each.name for each in profile.sample_types] == ["samples", "time"]
    assert profile.samples.values.tolist() == [[2, 1], [2_000_000, 700_000]]
    names = [profile.strings[each] for each in profile.functions.name]
    frames = [names[each] for each in profile.locations.line_function[profile.samples.stack]]
    assert frames == ["Object#work", "<main>", "<main>"]
    assert sorted(profile.locations.line_number.tolist()) == [0, 3]
    assert profile.duration_ns == 2_700_000


def test_otherwise_they_are_the_interval() -> None:
    profile = read(make(mode="cpu"))
    assert profile.samples.values.tolist() == [[2, 1], [2_000_000, 1_000_000]]
    document = make()
    del document["raw_timestamp_deltas"]
    assert read(document).samples.values.tolist() == [[2, 1], [2_000_000, 1_000_000]]


def test_objects_are_as_many_as_the_interval_says() -> None:
    profile = read(make(mode="object", interval=10))
    assert [each.name for each in profile.sample_types] == ["objects"]
    assert profile.samples.values.tolist() == [[20, 10]]
    assert profile.duration_ns == 0
    assert read(make(mode="custom")).samples.values.tolist() == [[2, 1]]


def test_more_frames_than_an_object_of_few_members_has(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = {str(k): {"name": f"f{k}"} for k in range(12_000)}
    profile = read(make(frames=frames, raw=[1, 11_999, 3]))
    place = int(profile.samples.stack[0])
    name = profile.functions.name[profile.locations.line_function[place]]
    assert profile.strings[name] == "f11999"
    assert len(frames) > json_pieces._MAX_MEMBERS


def test_without_stacks_a_sentence_says_what_helps() -> None:
    document = make()
    del document["raw"]
    with pytest.raises(ContentError, match="a profile of stackprof without stacks") as caught:
        read(document)
    assert "raw: true" in caught.value.remedy


@pytest.mark.parametrize(
    "changes",
    [
        {"raw": [2, 71, 70]},
        {"raw": [3, 71]},
        {"raw": [-1, 2]},
        {"raw": [1, 99, 1]},
        {"raw": [1, 71, -1]},
        {"raw": [1, 71, None]},
        {"raw": [1, "71", 1]},
        {"raw": {}},
        {"frames": {}},
        {"frames": {"a": {}}},
        {"frames": {"70": [], "71": {}}},
        {"frames": []},
        {"interval": "x"},
        {"raw_timestamp_deltas": [1, 2]},
        {"raw_timestamp_deltas": [1, 2, float("nan")]},
        {"raw": [1, 71, 10**18], "mode": "cpu"},
    ],
)
def test_damage_is_one_sentence(changes: dict[str, Any]) -> None:
    with pytest.raises(ContentError) as caught:
        read(make(**changes))
    message = str(caught.value)
    assert "a profile of stackprof, but is damaged" in message or "63 bits" in message
    assert len(message) < 200
