"""V8's CPU profiles of before 2016: one tree, times in µs since the machine started."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.recognition import recognise


def read(**changes: Any) -> Profile:
    document = {**json.loads(SEEDS["cpuprofile-tree"]), **changes}
    content = json.dumps(document).encode()
    assert recognise(content) is FileKind.CPUPROFILE_TREE
    profile = open_content(content, "file")
    assert isinstance(profile, Profile)
    return profile


def test_a_sample_lasts_until_the_next() -> None:
    profile = read()
    assert profile.samples.values.tolist() == [[1, 2], [100_000, 150_000]]
    assert profile.samples.stack_start.tolist() == [0, 1, 3]
    assert [profile.strings[each] for each in profile.functions.name] == ["main"]
    assert set(profile.locations.line_number.tolist()) == {4}
    assert profile.duration_ns == 250_000
    assert profile.times is not None
    assert profile.times.begin_ns.tolist() == [0, 100_000, 250_000]
    assert profile.times.end_ns.tolist() == [100_000, 250_000, 250_000]


def test_one_timestamp_more_is_the_end() -> None:
    profile = read(timestamps=[5_000_100, 5_000_200, 5_000_350, 5_000_400])
    assert profile.samples.values.tolist() == [[1, 2], [100_000, 200_000]]


def test_without_samples_hits_share_the_time() -> None:
    profile = read(samples=[], timestamps=[], startTime=2.5, endTime=4.5)
    assert profile.samples.values.tolist() == [[2, 2], [10**9, 10**9]]


def test_what_cpuprofilify_writes_has_texts_for_numbers_and_no_times_of_samples() -> None:
    document = json.loads(SEEDS["cpuprofile-tree"])
    del document["timestamps"]
    document |= {"startTime": "2.5", "endTime": "4.5"}
    document["head"]["children"][0]["lineNumber"] = "ld-2.19.so"
    profile = open_content(json.dumps(document).encode(), "file")
    assert isinstance(profile, Profile)
    assert profile.samples.values.tolist() == [[2, 2], [10**9, 10**9]]
    assert 0 in profile.locations.line_number.tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {"head": {"functionName": "a", "hitCount": 1}},
        {"head": {"hitCount": 1}},
        {"samples": [9, 2, 3]},
        {"samples": [2]},
        {"samples": [[2], [3], [3]]},
        {"samples": ["2", "3", "3"]},
        {"timestamps": [1, None, 3]},
        {"timestamps": [0, 0, float("inf")]},
        {"startTime": "soon"},
        {"samples": [], "startTime": "nan"},
        {"endTime": None},
    ],
)
def test_damage_is_one_sentence(changes: dict[str, Any]) -> None:
    with pytest.raises(ContentError, match="a CPU profile of V8, but is damaged") as caught:
        read(**changes)
    assert len(str(caught.value)) < 200
