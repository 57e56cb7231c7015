"""The Firefox Profiler's JSON: its versions, Gecko's own, weights, threads, and what is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.firefox import read_firefox
from stackglass_viewer.model.readers.opener import open_content

TABLES = {
    "stackTable": {"prefix": [None, 0, 1], "frame": [0, 1, 2]},
    "frameTable": {"func": [0, 1, 1], "line": [12, None, 40]},
    "funcTable": {"name": [0, 1], "fileName": [2, None]},
    "stringArray": ["main", "work", "app.py"],
}
SAMPLES = {"stack": [2, 2, None, 0], "time": [5, 6, 7, 9], "weight": None}
META = {"interval": 2, "preprocessedProfileVersion": 57, "startTime": 1e12, "product": "Python"}
THREAD = {"name": "MainThread", "processName": "app", "samples": SAMPLES}
SUMS = [(["main"], [1, 2_000_000]), (["work", "work", "main"], [2, 4_000_000])]


def encode(*threads: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"meta": META, "libs": [], "threads": list(threads), **more}).encode()


def weigh(kind: str) -> bytes:
    samples = {**SAMPLES, "weight": [5, -7, 1, 3], "weightType": kind}
    return encode({**TABLES, "samples": samples})


def test_tables_of_a_thread() -> None:
    profile = read_firefox(encode({**THREAD, **TABLES}))
    assert sorted(list_stacks(profile)) == SUMS
    assert [(each.name, each.unit) for each in profile.sample_types] == [
        *(("samples", "count"), ("time", "nanoseconds"))
    ]
    assert [profile.strings[text] for text in profile.labels.text[:2]] == ["MainThread", "app"]
    assert sorted(profile.locations.line_number.tolist()) == [0, 12, 40]
    assert "app.py" in profile.strings
    assert (profile.duration_ns, profile.time_unix_ns) == (4_000_000, 10**18)
    assert profile.comments == ("Python",)


def test_tables_that_threads_share() -> None:
    assert sorted(list_stacks(read_firefox(encode(THREAD, shared=TABLES)))) == SUMS
    own = {**THREAD, **TABLES}
    assert sorted(list_stacks(read_firefox(encode(own, shared={"stringArray": []})))) == SUMS
    functions = {"name": [0, 1], "source": [0, None]}
    shared = {**TABLES, "funcTable": functions, "sources": {"filename": [2]}}
    profile = read_firefox(encode(THREAD, shared=shared))
    assert sorted(list_stacks(profile)) == SUMS
    files = [profile.strings[file] for file in profile.functions.filename]
    assert sorted(files) == ["", "app.py"]


def test_stacks_may_say_how_far_away_their_caller_is() -> None:
    stacks = {"prefixOffset": [0, 1, 1], "frame": [0, 1, 2]}
    shared = {**TABLES, "stackTable": stacks}
    assert sorted(list_stacks(read_firefox(encode(THREAD, shared=shared)))) == SUMS
    beyond = {**shared, "stackTable": {**stacks, "prefixOffset": [0, 7, 1]}}
    with pytest.raises(ContentError, match="damaged"):
        read_firefox(encode(THREAD, shared=beyond))


def test_weights_are_counts_times_or_bytes() -> None:
    leaf = ["work", "work", "main"]
    assert sorted(list_stacks(read_firefox(weigh("samples")))) == [
        (["main"], [3, 6_000_000]),
        (leaf, [-2, -4_000_000]),
    ]
    assert sorted(list_stacks(read_firefox(weigh("tracing-ms")))) == [
        (["main"], [3_000_000]),
        (leaf, [-2_000_000]),
    ]
    assert sorted(list_stacks(read_firefox(weigh("bytes")))) == [(["main"], [3]), (leaf, [-2])]


def test_samples_without_weight_and_clocks_without_date_are_passed_over() -> None:
    samples = {**SAMPLES, "weight": [1, 0, 5, 0]}
    meta = {**META, "startTime": 3.5e6}
    profile = read_firefox(encode({**TABLES, "samples": samples}, meta=meta))
    assert list_stacks(profile) == [(["work", "work", "main"], [1, 2_000_000])]
    assert profile.time_unix_ns == 0


def test_times_may_be_differences() -> None:
    samples = {"stack": [0, 0], "timeDeltas": [5, 3]}
    profile = read_firefox(encode({**TABLES, "samples": samples}))
    assert profile.duration_ns == 3_000_000


GECKO_THREAD: dict[str, Any] = {
    "name": "GeckoMain",
    "samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 5], [1, 6, 0], [None, 7]]},
    "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1]]},
    "frameTable": {"schema": {"location": 0, "line": 4}, "data": [[0], [1, 0, 0, 0, 9]]},
    "stringTable": ["(root)", "load (app.js:12)"],
}
GECKO: dict[str, Any] = {
    "meta": {"version": 27, "interval": 1},
    "libs": [],
    "threads": [GECKO_THREAD],
}


def test_what_gecko_hands_out() -> None:
    whole = {**GECKO, "processes": [GECKO]}
    profile = read_firefox(json.dumps(whole).encode())
    assert list_stacks(profile) == [(["load", "(root)"], [2, 2_000_000])] * 2
    assert sorted(profile.locations.line_number.tolist()) == [0, 0, 9, 9]
    frames = {**GECKO_THREAD["frameTable"], "data": [[0], [1]]}
    placed = {**GECKO, "threads": [{**GECKO_THREAD, "frameTable": frames}]}
    lines = read_firefox(json.dumps(placed).encode()).locations.line_number
    assert sorted(lines.tolist()) == [0, 12]


def test_child_processes_are_texts_among_the_threads_up_to_firefox_48() -> None:
    whole = {**GECKO, "threads": [GECKO_THREAD, json.dumps(GECKO)]}
    profile = read_firefox(json.dumps(whole).encode())
    assert list_stacks(profile) == [(["load", "(root)"], [2, 2_000_000])] * 2
    with pytest.raises(ContentError, match="damaged"):
        read_firefox(json.dumps({**GECKO, "threads": ["no profile"]}).encode())


def test_the_first_version_that_the_profiler_saved_has_no_number() -> None:
    tables = {**TABLES, "funcTable": {"name": [0, 1]}, "stringArray": ["main", "work (app.js:7)"]}
    frames = {"func": [0, 1, 1], "line": [None, None, None]}
    thread = {**THREAD, **tables, "frameTable": frames}
    content = json.dumps({"meta": {"interval": 2, "version": 3}, "threads": [thread]}).encode()
    profile = read_firefox(content)
    assert sorted(list_stacks(profile)) == SUMS
    assert sorted(profile.locations.line_number.tolist()) == [0, 7, 7]


def test_recordings_of_the_developer_tools_are_geckos() -> None:
    recording = {"label": "", "duration": 9.5, "markers": [], "frames": [], "profile": GECKO}
    profile = open_content(json.dumps(recording).encode(), "x")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == [(["load", "(root)"], [2, 2_000_000])]


def test_both_open_by_content() -> None:
    for content in (encode({**THREAD, **TABLES}), json.dumps(GECKO).encode()):
        assert isinstance(open_content(content, "x"), Profile)


def change(**tables: Any) -> bytes:
    return encode({**THREAD, **TABLES, **tables})


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b'{"meta": 5}',
        encode({}),
        encode(THREAD),
        weigh("new"),
        change(stackTable={"prefix": [None, 2, 1], "frame": [0, 1, 2]}),
        change(stackTable={"prefix": [None, -1, 1], "frame": [0, 1, 2]}),
        change(stackTable={"prefix": [None, 0, 1], "frame": [0, 1, 9]}),
        change(samples={**SAMPLES, "stack": [0, 9]}),
        change(samples={**SAMPLES, "stack": [0, -1]}),
        change(samples={**SAMPLES, "weight": [1]}),
        change(samples={**SAMPLES, "weight": ["1", 2, 3, 4]}),
        change(stringArray=["main"]),
        change(funcTable={"name": [0, -1], "fileName": [2, None]}),
    ],
    ids=range(14),
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError) as caught:
        read_firefox(content)
    beginning = "it is a profile of the Firefox Profiler, but is damaged ("
    assert caught.value.message.startswith(beginning)
    assert "\n" not in caught.value.message
