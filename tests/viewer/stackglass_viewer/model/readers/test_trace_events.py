"""Chrome's trace events: spans of both kinds, threads, what is open at the end, what is damaged."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.trace_events import read_trace_events
from stackglass_viewer.native import _loops


def event(kind: str, ts: float, name: str = "", tid: object = 1, **more: Any) -> dict[str, Any]:
    return {"ph": kind, "ts": ts, "name": name, "pid": 7, "tid": tid, **more}


def encode(*events: dict[str, Any]) -> bytes:
    return json.dumps(events).encode()


SPANS = [
    *(event("B", 0, "main"), event("B", 2, "work"), event("E", 5, "work")),
    *(event("B", 5, "work"), event("E", 6), event("E", 10)),
]
SUMS = [(["main"], [6_000]), (["work", "main"], [4_000])]


def test_each_moment_belongs_to_the_innermost_span() -> None:
    profile = read_trace_events(encode(*SPANS))
    assert sorted(list_stacks(profile)) == SUMS
    assert [(each.name, each.unit) for each in profile.sample_types] == [("time", "nanoseconds")]
    assert profile.duration_ns == 10_000


def test_whole_spans_nest_by_their_times() -> None:
    whole = [
        event("X", 5, "work", dur=1),
        event("X", 2, "work", dur=3),
        event("X", 0, "main", dur=10),
    ]
    assert sorted(list_stacks(read_trace_events(encode(*whole)))) == SUMS
    late = event("X", 9, "late", dur=5)  # outlasts main
    assert (["late", "main"], [1_000]) in list_stacks(read_trace_events(encode(*whole, late)))


def test_what_is_open_ends_with_the_trace() -> None:
    assert sorted(
        list_stacks(read_trace_events(encode(*SPANS[:-1], event("X", 8, dur=2, tid=2))))
    ) == [
        ([""], [2_000]),
        *SUMS,
    ]
    cut = json.dumps(SPANS).encode()[:-1] + b","  # a program that was killed
    assert sorted(list_stacks(read_trace_events(cut))) == SUMS


def test_events_need_not_be_in_the_order_of_time() -> None:
    assert sorted(list_stacks(read_trace_events(encode(*SPANS[3:], *SPANS[:3])))) == SUMS
    with pytest.raises(ContentError, match="ends before it begins"):
        read_trace_events(encode(event("X", 5, "work", dur=-3)))


def test_a_list_may_begin_with_the_names_of_threads() -> None:
    name = {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "helper"}}
    profile = open_content(encode(name, *SPANS), "x")
    assert isinstance(profile, Profile)
    assert [profile.strings[text] for text in profile.labels.text] == ["helper"] * 2


def test_threads_are_a_label_and_places_are_read() -> None:
    name = event("M", 0, "thread_name", tid=2, args={"name": "helper"})
    placed = event("X", 0, "f (a.py:12)", dur=1)
    py_spy = event("X", 0, "g", tid=2, dur=1, args={"filename": "b.py", "line": 7})
    events = {"traceEvents": [name, placed, py_spy, event("i", 0)]}
    profile = read_trace_events(json.dumps(events).encode())
    assert [profile.strings[text] for text in profile.labels.text] == ["1", "helper"]
    assert profile.locations.line_number.tolist() == [12, 7]
    assert list_stacks(profile) == [(["f"], [1_000]), (["g"], [1_000])]


@pytest.mark.parametrize(
    "content",
    [
        b"[{",
        b'{"traceEvents": 5}',
        encode(event("X", 0, "f", dur="1")),
        encode(event("X", 0, "f", dur=None)),
        encode(event("B", 0, "f"), {"ph": "E"}),
        encode(*[event("X", 0, "f", dur=9)] * 4097),
    ],
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError, match=r"^it is a Chrome trace, but is damaged \(.*\)$"):
        read_trace_events(content)


def test_a_trace_without_spans_is_said() -> None:
    with pytest.raises(ContentError, match="without spans"):
        read_trace_events(encode(event("i", 0)))


def test_spans_that_begin_and_end_together_nest_as_they_began() -> None:
    spans = [event("B", 0, "main"), event("B", 0, "work"), event("E", 5), event("E", 5)]
    assert list_stacks(read_trace_events(encode(*spans))) == [(["work", "main"], [5_000])]


def test_times_that_are_no_numbers_are_refused() -> None:
    for damaged in (b"NaN", b"Infinity", b'"5 s"', b"null", b"[]"):
        for kind in (b'"X","dur":1', b'"B"'):
            content = b'[{"ph":' + kind + b',"name":"a","ts":' + damaged + b"}]"
            with pytest.raises(ContentError, match="it is a Chrome trace, but is damaged"):
                read_trace_events(content)


def test_spans_may_be_as_deep_as_stacks() -> None:
    spans = [event("X", 0, f"f{k % 9}", dur=9) for k in range(4097)]
    ((stack, values),) = list_stacks(read_trace_events(encode(*spans[:-1])))
    assert (len(stack), values) == (4096, [9_000])
    with pytest.raises(ContentError, match="more than 4096 spans inside each other"):
        read_trace_events(encode(*spans))


def test_stacks_of_many_spans_are_those_of_a_walk_in_python() -> None:
    rng = random.Random(8)
    spans, at = [], 0
    for _ in range(300):
        at += rng.randrange(3)
        spans.append(event("X", at, f"f{rng.randrange(40)}", dur=rng.randrange(60)))
    expected: dict[tuple[str, ...], int] = {}
    for moment in range(at + 60):  # of spans that begin together the longest is the outer one
        opened: list[tuple[int, str]] = []
        for span in sorted(spans, key=lambda each: (each["ts"], -each["dur"])):
            if span["ts"] > moment:
                break
            opened = [each for each in opened if each[0] > span["ts"]]
            limit = opened[-1][0] if opened else span["ts"] + span["dur"]
            opened.append((min(span["ts"] + span["dur"], limit), span["name"]))
        stack = tuple(name for end, name in opened if end > moment)[::-1]
        if stack:
            expected[stack] = expected.get(stack, 0) + 1000
    profile = read_trace_events(encode(*spans))
    assert {
        tuple(stack): values[0] for stack, values in list_stacks(profile) if values[0]
    } == expected


def test_the_loop_checks_its_columns() -> None:
    begin, frame = np.zeros(2), np.zeros(2, dtype=np.int32)
    for short in range(4):
        columns: list[Any] = [frame, begin, begin, frame]
        columns[short] = columns[short][:1]
        with pytest.raises(ValueError, match="differ in length"):
            _loops.nest_spans(columns[0], columns[1], columns[2], columns[3], 9)
    with pytest.raises(ValueError, match="no span may be open"):
        _loops.nest_spans(frame, begin, begin, frame, 0)
    with pytest.raises(TypeError):
        _loops.nest_spans(begin, begin, begin, frame, 9)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _loops.nest_spans(frame, begin, begin, begin, 9)  # type: ignore[arg-type]


def test_threads_read_together_are_those_read_alone() -> None:
    rng = random.Random(9)
    spans = [
        event("X", rng.randrange(99), f"f{rng.randrange(5)}", dur=rng.randrange(1, 30), tid=k % 700)
        for k in range(20_000)
    ]
    together = read_trace_events(encode(*spans))
    labels = together.labels
    found: dict[str, list[Any]] = {}
    for sample, stack in enumerate(list_stacks(together)):
        found.setdefault(together.strings[labels.text[sample]], []).append(stack)
    alone = {
        str(tid): list_stacks(
            read_trace_events(encode(*(each for each in spans if each["tid"] == tid)))
        )
        for tid in range(700)
    }
    assert found == alone
    times = together.times
    assert times is not None
    assert times.values[0].sum() == together.samples.values.sum()


@pytest.mark.parametrize(
    ("tid", "shown"),
    [(7, "7"), ("7", "7"), (2**40, str(2**40)), (-1, "-1"), (2**30, str(2**30)), (None, "None")],
)
def test_threads_may_have_any_number_or_text(tid: object, shown: str) -> None:
    spans = [event("X", 0, "main", dur=9, tid=tid), event("X", 0, "main", dur=9, tid="other")]
    profile = read_trace_events(encode(*spans))
    assert [profile.strings[text] for text in profile.labels.text] == [shown, "other"]
    named = event("M", 0, "thread_name", tid=tid, args={"name": "worker"})
    profile = read_trace_events(encode(*spans, named))
    assert [profile.strings[text] for text in profile.labels.text] == ["worker", "other"]


def test_threads_of_no_number_or_text_are_damage() -> None:
    with pytest.raises(ContentError, match="damaged"):
        read_trace_events(encode(event("X", 0, "main", dur=9, tid=[7])))


def test_whole_spans_may_lack_their_duration_or_their_name() -> None:
    spans = [event("X", 0, "main", tdur=10), event("X", 3, "a"), event("X", 2, "b", dur=0)]
    del spans[1]["name"]
    assert list_stacks(read_trace_events(encode(*spans))) == [(["main"], [10_000])]
    named = {key: value for key, value in event("X", 0, dur=4).items() if key != "name"}
    assert list_stacks(read_trace_events(encode(named))) == [(["(unnamed)"], [4_000])]


def test_times_may_be_texts() -> None:
    spans = [event("B", 0, "main"), event("X", 2, "work", dur=4), event("E", 10)]
    texts = [{**span, "ts": str(span["ts"])} for span in spans]
    assert sorted(list_stacks(read_trace_events(encode(*texts)))) == [
        *((["main"], [6_000]), (["work", "main"], [4_000]))
    ]
