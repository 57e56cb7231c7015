"""Speedscope's JSON: both kinds of profiles, several in a file, and what is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.caller_paths import DEEPEST
from stackglass_viewer.model.readers.speedscope import read_speedscope

FRAMES: list[dict[str, Any]] = [
    {"name": "main", "file": "app.py", "line": 12},
    {"name": "work"},
    {"name": "idle"},
]


def make(*profiles: dict[str, Any], frames: list[dict[str, Any]] = FRAMES) -> bytes:
    document = {"shared": {"frames": frames}, "profiles": profiles, "name": "a run"}
    return json.dumps(document).encode()


def sampled(name: str = "one", unit: str = "milliseconds", **changes: Any) -> dict[str, Any]:
    profile = {"type": "sampled", "name": name, "unit": unit, "startValue": 0, "endValue": 7.5}
    return {**profile, "samples": [[0, 1], [0], []], "weights": [2.5, 4, 1], **changes}


def evented(*events: tuple[str, int, float], **changes: Any) -> dict[str, Any]:
    rows = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    profile = {"type": "evented", "name": "two", "unit": "seconds", "startValue": 0, "endValue": 9}
    return {**profile, "events": rows, **changes}


def test_samples_are_weighed_in_nanoseconds() -> None:
    profile = read_speedscope(make(sampled()))
    assert list_stacks(profile) == [
        (["work", "main"], [2_500_000]),
        (["main"], [4_000_000]),
        ([], [1_000_000]),
    ]
    assert [(each.name, each.unit) for each in profile.sample_types] == [("time", "nanoseconds")]
    assert (profile.duration_ns, profile.comments) == (7_500_000, ("a run",))
    assert profile.locations.line_number.tolist() == [12, 0, 0]
    assert len(profile.labels.sample) == 0


@pytest.mark.parametrize(("active", "default"), [(0, 0), (1, 1), (None, 0), (7, 0)])
def test_the_type_of_the_profile_that_is_shown_first_is_the_default(
    active: int | None, default: int
) -> None:
    document = json.loads(make(sampled("Memory", "bytes"), sampled("Allocations", "none")))
    content = json.dumps({**document, "activeProfileIndex": active}).encode()
    profile = read_speedscope(content)
    assert [each.name for each in profile.sample_types] == ["space", "weight"]
    assert profile.default_type == default


def test_a_span_belongs_to_the_stack_that_is_open() -> None:
    spans = evented(
        *(("O", 0, 1), ("O", 1, 1), ("C", 1, 3), ("O", 1, 4), ("O", 1, 5), ("C", 1, 6)),
        *(("C", 0, 8), ("O", 2, 9)),  # main ends, and with it the outer call of work
    )
    assert list_stacks(read_speedscope(make(spans))) == [
        (["work", "main"], [5_000_000_000]),
        (["main"], [1_000_000_000]),
        (["work", "work", "main"], [1_000_000_000]),
    ]


def test_several_profiles_are_told_apart_by_a_label() -> None:
    other = sampled("thread 2", "bytes", samples=[[2]], weights=[64])
    profile = read_speedscope(make(sampled("thread 1", samples=[[0]], weights=[1]), other))
    assert [each.name for each in profile.sample_types] == ["time", "space"]
    assert list_stacks(profile) == [(["main"], [1_000_000, 0]), (["idle"], [0, 64])]
    labels = profile.labels
    assert [profile.strings[text] for text in labels.text] == ["thread 1", "thread 2"]
    assert {profile.strings[key] for key in labels.key} == {"profile"}


@pytest.mark.parametrize("start", [{}, {"startValue": None}])
def test_a_profile_without_a_start_begins_at_zero(start: dict[str, Any]) -> None:
    for whole in (sampled(), evented(("O", 0, 1), ("C", 0, 3), endValue=0.0075)):
        given = {name: value for name, value in whole.items() if name != "startValue"}
        profile = read_speedscope(make({**given, **start}))
        assert profile.duration_ns == 7_500_000
        assert profile.times is not None
    first = read_speedscope(make({**sampled(), **start})).times
    assert first is not None
    assert first.begin_ns.tolist()[:1] == [0]


def test_the_duration_lasts_from_the_first_start_to_the_last_end() -> None:
    early = sampled("early", samples=[[0]], weights=[2], startValue=1, endValue=3)
    late = evented(("O", 0, 5), ("C", 0, 7), startValue=5, endValue=7)  # seconds
    profile = read_speedscope(make(early, late))
    assert profile.duration_ns == 7_000_000_000 - 1_000_000
    held = sampled("bytes", "bytes", startValue=0, endValue=10**12)
    assert read_speedscope(make(early, held)).duration_ns == 2_000_000


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[" * 100_000,
        b'{"shared": 5, "profiles": []}',
        make({"type": "sampled", "name": "x", "unit": "none"}),
        make(sampled(unit="fortnights")),
        make(sampled(weights=[1])),
        make(sampled(weights=["1", 2, 3])),
        make(sampled(weights=[float("inf"), 2, 3])),
        make(sampled(weights=[float("nan"), 2, 3])),
        make(sampled(samples=[[3], [0], [0]])),
        make(sampled(samples=[[-1], [0], [0]])),
        make(sampled(samples=[5, [0], [0]])),
        make(sampled(), frames=[{"file": "x"}]),
        make(sampled(type="drawn")),
        make(evented(("O", 0, 5), ("C", 0, 4))),
        make(evented(("X", 0, 5))),
        make(evented(*[("O", 0, 1)] * (DEEPEST + 1))),
        make(evented(("O", 0, 1), ("C", 1, 2), ("C", 0, 5))),
        make(evented(("C", 0, 1))),
    ],
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError, match=r"^it is speedscope's JSON, but is damaged \(.*\)$"):
        read_speedscope(content)


def test_what_is_too_large_is_said() -> None:
    with pytest.raises(ContentError, match="63 bits"):
        read_speedscope(make(sampled(weights=[10**30, 1, 1])))


def test_events_out_of_order_are_refused_as_by_speedscope() -> None:
    """Its CallTreeProfileBuilder throws for an event whose time is below that of the one before."""
    events = [("O", 0, 5), ("O", 1, 9), ("C", 1, 7.5), ("C", 0, 12)]
    document = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}, {"name": "work"}]},
        "profiles": [
            {
                "type": "evented",
                "name": "t",
                "unit": "seconds",
                "startValue": 5,
                "endValue": 12,
                "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events],
            }
        ],
    }
    with pytest.raises(ContentError, match=r"its events are not in order: 7\.5 follows 9"):
        read_speedscope(json.dumps(document).encode())
