"""Writer of speedscope's JSON: a sampled profile for each sample type. Labels are left out."""

from __future__ import annotations

import json
from collections.abc import Sequence

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.graph.frames import name_frames
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.writers.frame_stacks import list_stacks

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {
    **dict.fromkeys(("nanoseconds", "nanosecond", "ns"), "nanoseconds"),
    **dict.fromkeys(("microseconds", "microsecond", "us"), "microseconds"),
    **dict.fromkeys(("milliseconds", "millisecond", "ms"), "milliseconds"),
    **dict.fromkeys(("seconds", "second", "s"), "seconds"),
    **dict.fromkeys(("bytes", "byte", "b"), "bytes"),
}


def write_speedscope(
    profile: Profile, name: str, sample_types: Sequence[TypeId], version: str
) -> bytes:
    """The file. ``name``: shown as its title; the first of ``sample_types`` is shown first;
    ``version``: of this program. Raises ProfileError for values below zero.
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
    document = {
        "$schema": _SCHEMA,
        "exporter": f"stackglass@{version}",
        "name": name,
        "activeProfileIndex": 0,
        "shared": {"frames": described},
        "profiles": [_describe_type(profile, stacks, each) for each in sample_types],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def _describe_type(
    profile: Profile, stacks: Sequence[list[int]], sample_type: TypeId
) -> dict[str, object]:
    kind = profile.sample_types[sample_type]
    weights = profile.samples.values[sample_type].tolist()
    if min(weights, default=0) < 0:
        raise ProfileError(
            f"{kind.name} has values below zero, which speedscope cannot show",
            "write pprof or collapsed stacks",
        )
    rows = [(stack, weight) for stack, weight in zip(stacks, weights, strict=True) if weight]
    return {
        "type": "sampled",
        "name": kind.name,
        "unit": _UNITS.get(kind.unit.lower(), "none"),
        "startValue": 0,
        "endValue": sum(weight for _, weight in rows),
        "samples": [stack for stack, _ in rows],
        "weights": [weight for _, weight in rows],
    }
