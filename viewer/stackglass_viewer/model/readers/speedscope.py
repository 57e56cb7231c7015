"""Reader of speedscope's JSON: a file contains one or more profiles, for example one a thread.

::

    shared.frames: [{"name": "main", "file": "app.py", "line": 12}, …]

    sampled   samples: [[0, 1], …]  root first   weights: [10, …]
    evented   events:  O main ─ O work ─ C work ─ C main, each with its time

In an evented profile, the time between two events belongs to the stack that was open. If there are
several profiles, samples get the name of their profile as the label ``profile``, and the default
sample type is that of the profile to show first. Values of one unit are one sample type; in files
that Stackglass writes, ``sampleType`` names it.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s, TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.caller_paths import DEEPEST
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import Label, Symbol, round_values
from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree
from stackglass_viewer.model.readers.stays import Stays
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_Numbers = Int64s | Float64s


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


def read_speedscope(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        return _read(open_document(content, progress))
    except DAMAGE as error:
        raise ContentError(explain_damage("speedscope's JSON", error)) from None


def _read(document: JsonPart) -> Profile:
    members = document.find_members()
    profiles = [part.find_members() for part in members["profiles"].list_parts()]
    units = [_find_unit(profile) for profile in profiles]
    types = list(dict.fromkeys(unit.type for unit in units))
    samples = FrameSamples()
    for frame in members["shared"].find_members()["frames"].list_items():
        samples.add_frame(_parse_frame(frame))
    begins_ns, ends_ns = list[int](), list[int]()  # of the profiles that have times, by one clock
    for part, unit in zip(profiles, units, strict=True):
        name = str(part["name"].load())
        labels = [Label("profile", name)] if len(profiles) > 1 else []
        target = _Target(samples, labels, types.index(unit.type), len(types), unit)
        kind = part["type"].load()
        if kind == "sampled":
            _add_samples(part, target)
        elif kind == "evented":
            _add_spans(part["events"], target)
        else:
            raise ValueError(f"unknown type {str(kind)[:20]!r}")
        if target.has_time:
            begins_ns.append(round(_find_start(part) * unit.factor))
            ends_ns.append(round(part["endValue"].load() * unit.factor))
    duration_ns = max(ends_ns, default=0) - min(begins_ns, default=0)
    name = str((members["name"].load() if "name" in members else "") or "")
    profile = samples.build(
        types,
        duration_ns=min(max(duration_ns, 0), 2**63 - 1),
        comments=(name,) if name else (),
    )
    if not units:
        return profile
    shown = units[_find_active(members, len(units))]
    return replace(profile, default_type=TypeId(types.index(shown.type)))


def _find_active(members: dict[str, JsonPart], n_profiles: int) -> int:
    """Return the index of the profile to show first; 0 if the file names none."""
    active = members["activeProfileIndex"].load() if "activeProfileIndex" in members else 0
    return active if isinstance(active, int) and 0 <= active < n_profiles else 0


def _find_unit(profile: dict[str, JsonPart]) -> _Unit:
    name = profile["unit"].load()
    if name not in _UNITS:
        raise ValueError(f"unknown unit {str(name)[:20]!r}")
    unit = _UNITS[name]
    if "sampleType" not in profile:
        return unit
    return unit._replace(type=SampleType(str(profile["sampleType"].load()), unit.type.unit))


def _find_start(profile: dict[str, JsonPart]) -> float:
    """Return where a profile begins, in its unit; 0 = not given, or null."""
    return (profile["startValue"].load() if "startValue" in profile else 0) or 0


def _parse_frame(frame: dict[str, Any]) -> Symbol:
    line = frame.get("line")
    return Symbol(
        str(frame["name"]),
        str(frame.get("file") or ""),
        line if isinstance(line, int) and 0 <= line < 2**31 else 0,
    )


@dataclass
class _Target:
    """Adds the stacks of one of the file's profiles to the result. Frame numbers are the file's."""

    samples: FrameSamples
    labels: list[Label]
    column: int  # column of the values
    n_columns: int
    unit: _Unit

    def add(self, weights: Int64s, sizes: Int64s, frames: Int32s) -> tuple[int, Int64s]:
        """Add stacks: (n,) weights and sizes, and the frames of all stacks, leaf first. Returns the
        number of the first sample, and the (n, n_columns) values."""
        if len(frames) and not 0 <= int(frames.min()) <= int(frames.max()) < self.samples.n_frames:
            raise IndexError("there is no such frame")
        values = np.zeros((len(weights), self.n_columns), dtype=np.int64)
        values[:, self.column] = weights
        return self.samples.add_many(values, sizes, frames, self.labels), values

    @property
    def has_time(self) -> bool:
        """Whether weights are times; they then also place the samples on the timeline."""
        return self.unit.type.unit == "nanoseconds"


def _add_samples(profile: dict[str, JsonPart], target: _Target) -> None:
    """Add the samples of a sampled profile. Each begins when the one before ends and lasts as long
    as its weight."""
    now = _find_start(profile)
    weights = profile["weights"].list_items()
    for stacks in profile["samples"].list_pieces():
        weight = _to_numbers([*islice(weights, len(stacks))])
        if len(weight) < len(stacks):
            raise ValueError("it has fewer weights than samples")
        sizes = np.array([len(stack) for stack in stacks], dtype=np.int64)
        frames = array("i")
        for stack in stacks:
            stack.reverse()
            frames.extend(array("i", stack))
        scaled = _scale(weight, target.unit.factor)
        first, values = target.add(scaled, sizes, np.frombuffer(frames, dtype=np.int32))
        if target.has_time:
            now = _add_times(now, first, weight, values, target)
    if next(weights, None) is not None:
        raise ValueError("it has more weights than samples")


def _add_times(now: float, first: int, weight: _Numbers, values: Int64s, target: _Target) -> float:
    """Place samples on the timeline, from ``now`` on. Returns the end of the last sample."""
    is_long = weight > 0
    steps = [_to_numbers([now]), weight[is_long]]
    clock: Any = np.cumsum(np.concatenate(steps))
    clock_ns = _scale(clock, target.unit.factor)
    numbers = np.flatnonzero(is_long).astype(np.int32) + np.int32(first)
    target.samples.add_times(numbers, clock_ns[:-1], clock_ns[1:], values[is_long])
    return float(clock[-1]) if clock.dtype == np.float64 else int(clock[-1])


def _to_numbers(numbers: list[Any]) -> _Numbers:
    """Return (n,) int64, or float64 if a number is written with a fraction or is too large."""
    found = np.array(numbers)
    if not len(numbers):
        return np.zeros(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "bif":
        return np.array(array("d", numbers))  # raises if they are not numbers
    return found.astype(np.float64) if found.dtype.kind == "f" else found.astype(np.int64)


def _scale(numbers: _Numbers, factor: float) -> Int64s:
    if factor == 1 and numbers.dtype == np.int64:
        return numbers.astype(np.int64)
    return round_values(numbers.astype(np.float64), factor)


def _add_spans(events: JsonPart, target: _Target) -> None:
    """Add the time between events to the stack that was open. The end of a frame also ends all
    frames opened after it. Raises ValueError for the end of a frame that is not open."""
    tree, stays = StackTree(), Stays()
    opened: list[tuple[int, int]] = []  # frame, stack
    before: float | None = None
    for event in events.list_items():
        at, frame, kind = event["at"], event["frame"], event["type"]
        if before is None:
            before = at
        if at != before:
            if at < before:
                raise ValueError(
                    f"its events are not in order: {str(at)[:20]} follows {str(before)[:20]}"
                )
            if opened:
                stays.add(opened[-1][1], before, at)
            before = at
        if kind == "O":
            opened.append((frame, tree.push(opened[-1][1] if opened else EMPTY, frame)))
            if len(opened) > DEEPEST:
                raise ValueError(f"a stack of more than {DEEPEST} frames")
        elif kind == "C":
            while opened:
                if opened.pop()[0] == frame:
                    break
            else:
                raise ValueError("a frame ends that is not open")
        else:
            raise ValueError(f"unknown event {str(kind)[:20]!r}")
    sums = stays.sum_up()
    sizes, frames = tree.spread(sums)
    weights = _scale(np.array([*sums.values()], dtype=np.float64), target.unit.factor)
    first, _ = target.add(weights, sizes, frames)
    if target.has_time:
        sample_of = {stack: first + number for number, stack in enumerate(sums)}
        stays.add_times(
            target.samples, sample_of, target.unit.factor, target.column, target.n_columns
        )
