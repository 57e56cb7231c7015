"""Samples beside a trace's events, as Hermes writes them: threads, stacks, pauses, damage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.trace_events import read_trace_events


def make(**changes: Any) -> dict[str, Any]:
    return {**json.loads(SEEDS["trace-samples"]), **changes}


def read(document: dict[str, Any]) -> Profile:
    return read_trace_events(json.dumps(document).encode())


def list_stacks(profile: Profile) -> dict[tuple[str, ...], list[int]]:
    names = [profile.strings[each] for each in profile.functions.name.tolist()]
    starts = profile.samples.stack_start.tolist()
    functions = profile.locations.line_function
    return {
        tuple(names[functions[each]] for each in profile.samples.stack[begin:end].tolist()): values
        for begin, end, values in zip(
            starts, starts[1:], profile.samples.values.T.tolist(), strict=False
        )
    }


def test_a_sample_lasts_until_the_next_but_not_through_a_pause() -> None:
    profile = read(make())
    assert list_stacks(profile) == {
        ("work",): [2, 25_000],  # 10 µs, and half as much again before a pause of 880
        ("[GC Young Gen]", "work"): [1, 10_000],
        (): [1, 10_000],
    }
    assert profile.locations.line_number.tolist() == [17, 0]
    files = [profile.strings[each] for each in profile.functions.filename.tolist()]
    assert "http://host:8081/a.bundle?x=1" in files
    assert [profile.strings[each] for each in profile.labels.text.tolist()] == ["js"] * 3
    assert profile.times is not None
    assert profile.times.begin_ns.tolist() == [0, 10_000, 20_000, 900_000]
    assert profile.duration_ns == 900_000
    assert profile.warnings == ()


def test_threads_are_apart() -> None:
    document = make()
    document["samples"][1]["tid"] = "9"
    profile = read(document)
    assert [profile.strings[each] for each in profile.labels.text.tolist()] == ["js", "js", "9"]
    assert profile.samples.values[0].tolist() == [2, 1, 1]


def test_spans_beside_the_samples_are_left_out_with_a_word() -> None:
    document = make()
    document["traceEvents"].append({"ph": "X", "ts": 1, "dur": 5, "name": "f", "pid": 7, "tid": 8})
    assert read(document).warnings == (
        "the samples beside the trace's events are shown, and not its spans",
    )


def test_without_samples_the_spans_are_shown() -> None:
    document = make(samples=[])
    document["traceEvents"].append({"ph": "X", "ts": 1, "dur": 5, "name": "f", "pid": 7, "tid": 8})
    assert ("f",) in list_stacks(read(document))


@pytest.mark.parametrize(
    "changes",
    [
        {"samples": [{}]},
        {"samples": [5]},
        {"samples": [{"sf": 9, "ts": "1"}]},
        {"samples": [{"sf": 1, "ts": "x"}]},
        {"samples": [{"sf": 1, "ts": "nan"}]},
        {"samples": [{"sf": 1, "ts": "1e300"}]},
        {"samples": [{"sf": 1, "ts": "1", "weight": "much"}]},
        {"samples": [{"sf": 1, "ts": "1", "weight": 1 << 70}]},
        {"stackFrames": {"1": {"parent": 1}, "2": {}, "3": {}}},
        {"stackFrames": {"1": {"parent": 7}, "2": {}, "3": {}}},
        {"stackFrames": {"1": 5}},
        {"stackFrames": {}},
    ],
)
def test_damage_is_one_sentence(changes: dict[str, Any]) -> None:
    with pytest.raises(ContentError) as caught:
        read(make(**changes))
    assert len(str(caught.value)) < 200
