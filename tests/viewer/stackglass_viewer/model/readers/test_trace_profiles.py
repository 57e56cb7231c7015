"""V8's profiles inside Chrome's traces: chunks, several threads, what is incomplete."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.trace_events import read_trace_events

SPAN = {"ph": "X", "ts": 100, "dur": 5000, "name": "RunTask", "pid": 7, "tid": 1}
NAME = {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "CrRendererMain"}}


def node(number: int, name: str, parent: int | None = None) -> dict[str, Any]:
    return {"id": number, "parent": parent, "callFrame": {"functionName": name, "scriptId": 0}}


def make(name: str, ts: int, number: str = "0x2", tid: int = 1, **data: Any) -> dict[str, Any]:
    event = {"ph": "P", "name": name, "pid": 7, "tid": tid, "ts": ts, "id": number}
    return {**event, "args": {"data": data}}


BEGIN = make("Profile", 100, startTime=100)
FIRST = make(
    *("ProfileChunk", 200),
    tid=9,  # chunks are sent by another thread
    cpuProfile={"nodes": [node(1, "(root)"), node(2, "main", 1)], "samples": [2, 2]},
    timeDeltas=[10, 20],
)
SECOND = make(
    *("ProfileChunk", 300),
    tid=9,
    cpuProfile={"nodes": [node(3, "work", 2)], "samples": [3, 2]},
    timeDeltas=[30, 40],
)
EMPTY = {**make("ProfileChunk", 400), "args": {}}
SUMS = [(["main"], [3, 50_000]), (["work", "main"], [1, 40_000])]


def encode(*events: dict[str, Any]) -> bytes:
    return json.dumps({"traceEvents": [NAME, SPAN, *events]}).encode()


@pytest.mark.parametrize("chunks", [[FIRST, SECOND, EMPTY], [SECOND, EMPTY, FIRST]])
def test_chunks_are_one_profile_in_the_order_of_time(chunks: list[dict[str, Any]]) -> None:
    profile = read_trace_events(encode(BEGIN, *chunks))
    assert sorted(list_stacks(profile)) == SUMS
    assert {profile.strings[text] for text in profile.labels.text} == {"CrRendererMain"}
    assert profile.duration_ns == 100_000
    assert profile.times is not None
    assert profile.warnings == (
        "the samples of V8's profile in this trace are shown, and not its spans",
    )


def test_a_whole_profile_in_one_event() -> None:
    nodes = [node(1, "(root)"), node(2, "main", 1)]
    data = {"nodes": nodes, "samples": [2], "timeDeltas": [7], "startTime": 5, "endTime": 15}
    event = {**make("CpuProfile", 9, cpuProfile=data), "ph": "I"}
    assert list_stacks(read_trace_events(encode(event))) == [(["main"], [1, 0])]


def test_profiles_of_several_threads_are_added_up() -> None:
    other = [make("Profile", 100, "0x3", 2, startTime=100), {**FIRST, "id": "0x3"}]
    profile = read_trace_events(encode(BEGIN, FIRST, SECOND, *other))
    assert sum(values[0] for _, values in list_stacks(profile)) == 6
    assert {profile.strings[text] for text in profile.labels.text} == {"CrRendererMain", "2"}


def test_chunks_of_an_earlier_recording_are_passed_over() -> None:
    profile = read_trace_events(encode({**SECOND, "id": "0x1"}, BEGIN, FIRST, SECOND))
    assert sorted(list_stacks(profile)) == SUMS
    spans = read_trace_events(encode({**SECOND, "id": "0x1"}))
    assert list_stacks(spans) == [(["RunTask"], [5_000_000])]
    assert spans.warnings == ()


def test_nodes_that_are_missing_are_unknown_and_said() -> None:
    """The first chunk is not there, as with a buffer too small: node 2 calls, and is sampled."""
    profile = read_trace_events(encode(BEGIN, SECOND))
    assert sorted(list_stacks(profile)) == [
        (["<unknown>"], [1, 0]),
        (["work", "<unknown>"], [1, 40_000]),
    ]
    assert profile.warnings[0] == (
        "nodes of V8's profile are missing (1): <unknown> stands for them and their callers"
    )
    assert len(profile.warnings) == 2


def test_a_profile_without_most_of_its_nodes_is_left_out_and_said() -> None:
    data = SECOND["args"]["data"]
    for ids in ([2, 7, 3], [-2, 2**40, 3]):
        mostly = {**data["cpuProfile"], "samples": ids}
        chunk = make("ProfileChunk", 300, cpuProfile=mostly, timeDeltas=[30, 40, 50])
        profile = read_trace_events(encode(BEGIN, chunk))
        assert list_stacks(profile) == [(["RunTask"], [5_000_000])]
        (warning,) = profile.warnings
        assert warning.startswith("V8's profile of thread CrRendererMain is left out: it is a CPU")


@pytest.mark.parametrize("data", [5, [], None])
def test_events_without_data_are_passed_over(data: Any) -> None:
    event = {**BEGIN, "args": {"data": data}}
    assert list_stacks(read_trace_events(encode(event))) == [(["RunTask"], [5_000_000])]


@pytest.mark.parametrize("data", [{"cpuProfile": 5}, {"timeDeltas": ["a"]}, {"timeDeltas": 5}])
def test_what_is_damaged_is_one_line(data: Any) -> None:
    with pytest.raises(ContentError, match=r"^it is a Chrome trace, but is damaged"):
        read_trace_events(encode({**BEGIN, "args": {"data": data}}))


def test_a_trace_of_an_incomplete_profile_alone_says_so() -> None:
    chunk = make("ProfileChunk", 300, cpuProfile={"nodes": [], "samples": [2]}, timeDeltas=[30])
    content = json.dumps([BEGIN, chunk]).encode()
    with pytest.raises(
        ContentError, match=r"without spans, so .*; V8's profile of thread 1 is left"
    ):
        read_trace_events(content)
