"""Writer of speedscope's JSON: a profile for each sample type, and each thread if times are known.

::

    no times known        sampled, as the samples come: cpu, alloc_space
    times of stacks       evented, each frame when it was there: cpu, MainThread ─ cpu, worker
    other values, or      sampled, in the order of time: alloc_space, MainThread ─ …
    stacks that overlap,
    or are very deep

Labels other than those that make a thread are left out. ``sampleType`` is an extension that
speedscope ignores: Stackglass's reader distinguishes types of the same unit by it. So of two types
of the same name the second is written as ``cpu (2)``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.frames import name_frames
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.caller_paths import DEEPEST, FRAMES_PER_NODE, FREE_FRAMES
from stackglass_viewer.model.units import find_scale
from stackglass_viewer.model.writers.frame_events import RowSpans, list_events, place_rows
from stackglass_viewer.model.writers.frame_stacks import NO_STACK, list_stacks
from stackglass_viewer.model.writers.timed_rows import list_timed_rows, split_threads

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {
    **dict.fromkeys(("nanoseconds", "nanosecond", "ns"), "nanoseconds"),
    **dict.fromkeys(("microseconds", "microsecond", "us"), "microseconds"),
    **dict.fromkeys(("milliseconds", "millisecond", "ms"), "milliseconds"),
    **dict.fromkeys(("seconds", "second", "s"), "seconds"),
    **dict.fromkeys(("bytes", "byte", "b"), "bytes"),
}
_Stacks = Sequence[list[int]]


def write_speedscope(
    profile: Profile, name: str, sample_types: Sequence[TypeId], version: str
) -> bytes:
    """Return the file. ``name``: the title that is shown; the first of ``sample_types`` is shown
    first; ``version``: the version of this program. Raises ContentError for values below zero.
    """
    frames = name_frames(profile)
    stacks = list(list_stacks(profile.samples, frames))
    rows = zip(frames.name, frames.file, frames.line.tolist(), strict=True)
    described = []
    for frame, file, line in rows:
        entry: dict[str, str | int] = {"name": frame}
        if file:
            entry["file"] = file
        if line > 0:
            entry["line"] = line
        described.append(entry)
    if profile.times is not None and not all(stacks):  # time without a frame would be a gap
        stacks = [stack or [len(described)] for stack in stacks]
        described.append({"name": NO_STACK})
    document = {
        "$schema": _SCHEMA,
        "exporter": f"stackglass@{version}",
        "name": name,
        "activeProfileIndex": 0,
        "shared": {"frames": described},
    }
    pieces = [_dump(document)[:-1].encode(), b',"profiles":']
    for sample_type, type_name in zip(
        sample_types, _name_types(profile, sample_types), strict=True
    ):
        _check_values(profile, sample_type)
        for text in _describe_type(profile, stacks, sample_type, type_name, len(sample_types)):
            pieces += [b"," if len(pieces) > 2 else b"[", text.encode()]
    return b"".join([*pieces, b"]}"])


def _dump(described: object) -> str:
    return json.dumps(described, separators=(",", ":"))


def _check_values(profile: Profile, sample_type: TypeId) -> None:
    if profile.samples.values[sample_type].min(initial=0) < 0:
        raise ContentError(
            f"{profile.sample_types[sample_type].name} has values below zero, which speedscope "
            "cannot show",
            "write pprof or collapsed stacks",
        )


def _name_types(profile: Profile, sample_types: Sequence[TypeId]) -> list[str]:
    """Return a name of its own for each sample type."""
    names: list[str] = []
    for name in (profile.sample_types[each].name for each in sample_types):
        others = (f"{name} ({number})" for number in count(2))
        names.append(next(each for each in chain([name], others) if each not in names))
    return names


def _describe_type(
    profile: Profile, stacks: _Stacks, sample_type: TypeId, type_name: str, n_types: int
) -> Iterator[str]:
    """Yield the profiles of a sample type, at least one."""
    kind = profile.sample_types[sample_type]
    unit = _UNITS.get(kind.unit.lower(), "none")
    rows = list_timed_rows(profile, sample_type)
    if not len(rows.begin_ns) or rows.value.min() < 0:  # < 0: times contradict values
        values = profile.samples.values[sample_type]
        samples = np.flatnonzero(values)
        yield _describe_samples(type_name, type_name, unit, stacks, samples, values[samples])
        return
    scale, factor = find_scale(kind.unit)
    threads = [*split_threads(profile, rows.sample)]
    for thread, here in threads:
        if not len(here):
            continue
        samples = rows.sample[here]
        name = _name_profile(type_name, thread, len(threads), n_types)
        is_evented = scale == "time" and _can_be_events(
            [stacks[each] for each in np.unique(samples).tolist()]
        )
        spans = place_rows(rows, here, factor) if is_evented else None
        if spans is None:
            yield _describe_samples(name, type_name, unit, stacks, samples, rows.value[here])
        else:
            yield _describe_spans(name, type_name, stacks, samples, spans, rows.length_ns)


def _can_be_events(stacks: _Stacks) -> bool:
    """Return whether Stackglass's reader opens these stacks frame by frame. Stacks that are listed
    have no such limit: the file is as large as they are."""
    if any(len(stack) > DEEPEST for stack in stacks):
        return False
    if sum(map(len, stacks)) <= FREE_FRAMES:
        return True
    different = set(map(tuple, stacks))  # the reader has a node for each, at least
    return sum(map(len, different)) <= FREE_FRAMES + FRAMES_PER_NODE * len(different)


def _name_profile(kind: str, thread: str, n_threads: int, n_types: int) -> str:
    """Return the name of a thread's profile: the sample type, the thread, or both if needed."""
    if n_threads == 1:
        return kind
    return thread if n_types == 1 else f"{kind}, {thread}"


def _describe_samples(
    name: str, kind: str, unit: str, stacks: _Stacks, samples: Int64s, values: Int64s
) -> str:
    weights = values.tolist()
    return _dump(
        {
            **_describe_axis("sampled", name, kind, unit, sum(weights)),
            "samples": [stacks[sample] for sample in samples.tolist()],
            "weights": weights,
        }
    )


def _describe_spans(
    name: str, kind: str, stacks: _Stacks, samples: Int64s, spans: RowSpans, length_ns: int
) -> str:
    """Return the profile of a thread. The axis begins at the first moment of the file and ends at
    its last, or behind it if the thread's rows end later."""
    end_ns = max(length_ns, int(spans.end_ns[-1]))
    head = _dump(_describe_axis("evented", name, kind, "nanoseconds", end_ns))
    events: Iterable[str] = list_events(stacks, samples, spans)
    return f'{head[:-1]},"events":[{",".join(events)}]}}'


def _describe_axis(form: str, name: str, kind: str, unit: str, end: int) -> dict[str, Any]:
    head = {"type": form, "name": name, "sampleType": kind, "unit": unit}
    return {**head, "startValue": 0, "endValue": end}
