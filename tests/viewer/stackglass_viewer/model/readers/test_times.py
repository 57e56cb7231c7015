"""When samples were there, in each format that says so: thread, stack, begin, end in ms."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.austin_text import read_austin_text
from stackglass_viewer.model.readers.cpuprofile import read_cpuprofile
from stackglass_viewer.model.readers.firefox import read_firefox
from stackglass_viewer.model.readers.perf_script import read_perf_script
from stackglass_viewer.model.readers.pyinstrument import read_pyinstrument
from stackglass_viewer.model.readers.speedscope import read_speedscope
from stackglass_viewer.model.readers.trace_events import read_trace_events

Moment = tuple[str, str, float, float]  # thread, stack, begin and end, ms
_KEYS = ("thread", "profile")


def list_moments(profile: Profile) -> list[Moment]:
    times, samples, strings = profile.times, profile.samples, profile.strings
    assert times is not None
    labels = profile.labels
    threads = {
        sample: strings[text]
        for sample, key, text in zip(
            labels.sample.tolist(), labels.key.tolist(), labels.text.tolist(), strict=True
        )
        if strings[key] in _KEYS
    }
    names = [strings[name] for name in profile.functions.name.tolist()]
    functions = profile.locations.line_function.tolist()
    moments = []
    for sample, begin, end in zip(
        times.sample.tolist(), times.begin_ns.tolist(), times.end_ns.tolist(), strict=True
    ):
        first, last = samples.stack_start[sample], samples.stack_start[sample + 1]
        stack = [names[functions[each]] for each in samples.stack[first:last].tolist()]
        moments.append((threads.get(sample, ""), ";".join(reversed(stack)), begin / 1e6, end / 1e6))
    return moments


def check_sums(profile: Profile) -> None:
    """The values of each sample are the sums of its times."""
    assert profile.times is not None
    for column, parts in zip(profile.samples.values, profile.times.values, strict=True):
        sums = [0] * profile.n_samples
        for sample, part in zip(profile.times.sample.tolist(), parts.tolist(), strict=True):
            sums[sample] += part
        assert sums == column.tolist()


def encode(document: Any) -> bytes:
    return json.dumps(document).encode()


def span(name: str, begin_ms: float, length_ms: float, tid: int = 1) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "pid": 1,
        "tid": tid,
        "ts": begin_ms * 1e3,
        "dur": length_ms * 1e3,
    }


TRACE = encode(
    [
        span("main", 10, 20),
        span("work", 12, 5),
        span("work", 20, 5),
        span("other", 15, 3, tid=2),
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "helper"}},
    ]
)
EVENTED = encode(
    {
        "shared": {"frames": [{"name": "main"}, {"name": "work"}]},
        "profiles": [
            {
                "type": "evented",
                "name": "T1",
                "unit": "milliseconds",
                "startValue": 5,
                "endValue": 30,
                "events": [
                    {"type": "O", "at": 5, "frame": 0},
                    {"type": "O", "at": 8, "frame": 1},
                    {"type": "C", "at": 18, "frame": 1},
                    {"type": "C", "at": 30, "frame": 0},
                ],
            },
            {
                "type": "sampled",
                "name": "T2",
                "unit": "milliseconds",
                "startValue": 7,
                "endValue": 10,
                "samples": [[0], [0, 1]],
                "weights": [1, 2],
            },
        ],
    }
)
FIREFOX = encode(
    {
        "meta": {"interval": 1, "preprocessedProfileVersion": 50},
        "threads": [
            {
                "name": "Main",
                "stringArray": ["main", "work"],
                "funcTable": {"name": [0, 1], "fileName": [None, None]},
                "frameTable": {"func": [0, 1], "line": [None, None]},
                "stackTable": {"prefix": [None, 0], "frame": [0, 1]},
                "samples": {"stack": [1, 0, None, 1], "time": [100, 101, 102, 103.5]},
            }
        ],
    }
)
PERF = b"""app 7/8 [000] 12.001000:   1000000 task-clock:
\t    7f8f work+0x1 (/bin/app)
\t    7f8e main+0x1 (/bin/app)

app 7/9 [001] 12.001500:   1000000 task-clock:
\t    7f8e main+0x1 (/bin/app)

app 7/8 [000] 12.003000:   1000000 task-clock:
\t    7f8e main+0x1 (/bin/app)

"""
CPUPROFILE = encode(
    {
        "nodes": [
            {"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2]},
            {"id": 2, "callFrame": {"functionName": "main"}, "children": [3]},
            {"id": 3, "callFrame": {"functionName": "work"}},
        ],
        "startTime": 0,
        "endTime": 9000,
        "samples": [2, 3, 3],
        "timeDeltas": [1000, 2000, 2000],
    }
)
AUSTIN = b"""# mode: wall
P1;T0:1;a.py:main:1 1000
P1;T0:2;a.py:work:1 900
P1;T0:1;a.py:main:1 2000
P1;T0:1;a.py:main:1 1000
P1;T0:2;a.py:work:1 1000
"""
SESSION = encode(
    {
        "frame_records": [
            [["main\0a.py\x001"], 0.002],
            [["main\0a.py\x001", "work\0a.py\x005"], 0.003],
        ],
        "start_time": 0,
        "duration": 0.005,
    }
)

CASES: list[tuple[str, Callable[[bytes], Profile], bytes, list[Moment]]] = [
    (
        "Chrome",
        read_trace_events,
        TRACE,
        [
            ("1", "main", 0, 2),
            ("1", "main;work", 2, 7),
            ("helper", "other", 5, 8),
            ("1", "main", 7, 10),
            ("1", "main;work", 10, 15),
            ("1", "main", 15, 20),
        ],
    ),
    (
        "speedscope",
        read_speedscope,
        EVENTED,
        [
            ("T1", "main", 0, 3),
            ("T2", "main", 2, 3),
            ("T2", "main;work", 3, 5),
            ("T1", "main;work", 3, 13),
            ("T1", "main", 13, 25),
        ],
    ),
    (
        "Firefox",
        read_firefox,
        FIREFOX,
        [("Main", "main;work", 0, 0), ("Main", "main", 1, 1), ("Main", "main;work", 3.5, 3.5)],
    ),
    (
        "perf",
        read_perf_script,
        PERF,
        [("app 8", "main;work", 0, 0), ("app 9", "main", 0.5, 0.5), ("app 8", "main", 2, 2)],
    ),
    (
        "V8",
        read_cpuprofile,
        CPUPROFILE,
        [("", "main", 0, 2), ("", "main;work", 2, 4), ("", "main;work", 4, 8)],
    ),
    (
        "Austin",
        read_austin_text,
        AUSTIN,
        [
            ("0:2", "work", 0, 0.9),
            ("0:1", "main", 0, 1),
            ("0:1", "main", 1, 3),
            ("0:1", "main", 3, 4),
            ("0:2", "work", 3, 4),
        ],
    ),
    ("pyinstrument", read_pyinstrument, SESSION, [("", "main", 0, 2), ("", "main;work", 2, 5)]),
]


@pytest.mark.parametrize(
    ("read", "content", "moments"), [each[1:] for each in CASES], ids=[each[0] for each in CASES]
)
def test_times_of_a_format(
    read: Callable[[bytes], Profile], content: bytes, moments: list[Moment]
) -> None:
    profile = read(content)
    assert list_moments(profile) == moments
    check_sums(profile)


def test_bytes_are_no_time() -> None:
    document = json.loads(EVENTED)
    for each in document["profiles"]:
        each["unit"] = "bytes"
    assert read_speedscope(encode(document)).times is None


def test_memory_of_austin_has_no_time() -> None:
    assert read_austin_text(AUSTIN.replace(b"wall", b"memory")).times is None


def test_firefox_without_the_times_of_samples() -> None:
    document = json.loads(FIREFOX)
    del document["threads"][0]["samples"]["time"]
    assert read_firefox(encode(document)).times is None


def test_an_absurd_clock_is_refused_or_left_out() -> None:
    document = json.loads(TRACE)
    document[0]["ts"] = -9e15
    profile = read_trace_events(encode(document))
    assert profile.n_samples
