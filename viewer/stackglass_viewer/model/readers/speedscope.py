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
from dataclasses import dataclass
from typing import Any, NamedTuple

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree
from stackglass_viewer.model.readers.stays import Stays

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
        target = _Target(samples, places, labels, column, len(types), unit)
        if profile["type"] == "sampled":
            _add_samples(profile, target)
        elif profile["type"] == "evented":
            _add_spans(profile["events"], target)
        else:
            raise ValueError(f"unknown type {str(profile['type'])[:20]!r}")
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


@dataclass
class _Target:
    """Where the stacks of one of the profiles go."""

    samples: FrameSamples
    places: list[int]  # of frames
    labels: list[Label]
    column: int  # of values
    n_columns: int
    unit: _Unit

    def add(self, stack: list[int], weight: float) -> int:
        """A stack, leaf first; returns the number of its sample."""
        if min(stack, default=0) < 0:
            raise ValueError("a frame has a number below 0")
        frames = [self.places[frame] for frame in stack]
        return self.samples.add(self.list_values(weight), frames, self.labels)

    def list_values(self, weight: float) -> list[int]:
        values = [0] * self.n_columns
        values[self.column] = round(weight * self.unit.factor)
        return values

    @property
    def has_time(self) -> bool:
        """Whether weights are time: then they say when each sample was there, too."""
        return self.unit.type.unit == "nanoseconds"


def _add_samples(profile: dict[str, Any], target: _Target) -> None:
    """One after another, each as long as its weight."""
    now = profile.get("startValue") or 0
    factor = target.unit.factor
    for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
        sample = target.add(stack[::-1], weight)
        if target.has_time and weight > 0:
            begin_ns, end_ns = round(now * factor), round((now + weight) * factor)
            target.samples.add_time(sample, begin_ns, end_ns, target.list_values(weight))
            now += weight


def _add_spans(events: list[dict[str, Any]], target: _Target) -> None:
    """The time between events by the stack that was open. A frame is closed by its number: what is
    open above goes, too."""
    tree, stays = StackTree(), Stays()
    opened: list[tuple[int, int]] = []  # frame, stack
    before = events[0]["at"] if events else 0
    for event in events:
        at, frame = event["at"], event["frame"]
        if at < before:
            raise ValueError("its events are not in the order of time")
        if at > before and opened:
            stays.add(opened[-1][1], before, at)
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
    sample_of = {
        stack: target.add(tree.list_frames(paths, stack), time)
        for stack, time in stays.sum_up().items()
    }
    if target.has_time:
        stays.add_times(
            target.samples, sample_of, target.unit.factor, target.column, target.n_columns
        )
