"""Reader of speedscope's JSON: one file holds a profile for each thread, or several.

::

    shared.frames: [{"name": "main", "file": "app.py", "line": 12}, …]

    sampled   samples: [[0, 1], …]  root first   weights: [10, …]
    evented   events:  O main ─ O work ─ C work ─ C main, each with its time

What an evented profile spent between two events belongs to the stack that was open. The name of a
profile is the label ``profile`` of its samples where there are several.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree

_MOST_OPEN = 4096  # frames of a stack


class _Unit(NamedTuple):
    type: SampleType
    factor: float  # to the type's unit


_UNITS = {
    "nanoseconds": _Unit(SampleType("time", "nanoseconds"), 1),
    "microseconds": _Unit(SampleType("time", "nanoseconds"), 1e3),
    "milliseconds": _Unit(SampleType("time", "nanoseconds"), 1e6),
    "seconds": _Unit(SampleType("time", "nanoseconds"), 1e9),
    "bytes": _Unit(SampleType("space", "bytes"), 1),
    "none": _Unit(SampleType("weight", "count"), 1),
}


def read_speedscope(content: bytes | bytearray) -> Profile:
    """Raises ProfileError."""
    try:
        return _read(json.loads(content))
    except DAMAGE as error:
        raise ProfileError(explain_damage("speedscope's JSON", error)) from None


def _read(document: dict[str, Any]) -> Profile:
    profiles: list[dict[str, Any]] = document["profiles"]
    units = [_find_unit(profile) for profile in profiles]
    types = list(dict.fromkeys(unit.type for unit in units))
    samples = FrameSamples()
    places = [samples.add_frame(_parse_frame(frame)) for frame in document["shared"]["frames"]]
    duration_ns = 0
    for profile, unit in zip(profiles, units, strict=True):
        labels = [Label("profile", str(profile["name"]))] if len(profiles) > 1 else []
        column = types.index(unit.type)
        for stack, weight in _list_stays(profile):
            values = [0] * len(types)
            values[column] = round(weight * unit.factor)
            if min(stack, default=0) < 0:
                raise ValueError("a frame has a number below 0")
            samples.add(values, [places[frame] for frame in stack], labels)
        if unit.type.unit == "nanoseconds":
            length = round((profile["endValue"] - profile["startValue"]) * unit.factor)
            duration_ns = max(duration_ns, length)
    name = str(document.get("name") or "")
    return samples.build(
        types, duration_ns=min(duration_ns, 2**63 - 1), comments=(name,) if name else ()
    )


def _find_unit(profile: dict[str, Any]) -> _Unit:
    unit = profile["unit"]
    if unit not in _UNITS:
        raise ValueError(f"unknown unit {str(unit)[:20]!r}")
    return _UNITS[unit]


def _parse_frame(frame: dict[str, Any]) -> Symbol:
    line = frame.get("line")
    return Symbol(
        str(frame["name"]),
        str(frame.get("file") or ""),
        line if isinstance(line, int) and 0 <= line < 2**31 else 0,
    )


def _list_stays(profile: dict[str, Any]) -> Iterator[tuple[list[int], float]]:
    """(stack, leaf first; weight) for each time that it was seen, or in all."""
    kind = profile["type"]
    if kind == "sampled":
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
            yield stack[::-1], weight
    elif kind == "evented":
        yield from _sum_spans(profile["events"])
    else:
        raise ValueError(f"unknown type {str(kind)[:20]!r}")


def _sum_spans(events: list[dict[str, Any]]) -> Iterator[tuple[list[int], float]]:
    """The time between events by the stack that was open. A frame is closed by its number: what is
    open above goes, too."""
    tree = StackTree()
    sums: dict[int, float] = {}
    opened: list[tuple[int, int]] = []  # frame, stack
    before = events[0]["at"] if events else 0
    for event in events:
        at, frame = event["at"], event["frame"]
        if at < before:
            raise ValueError("its events are not in the order of time")
        if at > before and opened:
            stack = opened[-1][1]
            sums[stack] = sums.get(stack, 0) + at - before
        before = at
        if event["type"] == "O":
            opened.append((frame, tree.push(opened[-1][1] if opened else EMPTY, frame)))
            if len(opened) > _MOST_OPEN:
                raise ValueError(f"a stack of more than {_MOST_OPEN} frames")
        elif event["type"] == "C":
            while opened and opened.pop()[0] != frame:
                pass
        else:
            raise ValueError(f"unknown event {str(event['type'])[:20]!r}")
    paths = tree.find_paths()
    for stack, time in sums.items():
        yield tree.list_frames(paths, stack), time
