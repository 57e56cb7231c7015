"""Header of a report: file, program, time, duration, comments, sample type and total."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.units import format_value, make_printable

_MAX_TIME_NS = 253_402_300_799 * 10**9  # the end of the year 9999, the last of ``datetime``


def write_header(
    profile: Profile | FunctionTable,
    name: str,
    chosen: TypeId,
    total: str,
    is_compact: bool = False,
) -> Iterator[str]:
    """Return the lines. ``name``: the file's name; ``total``: what 100 % is, as text.

    ``is_compact``: only the line with the sample type and the total, as in pprof.
    """
    chosen_type = profile.sample_types[chosen]
    if not is_compact:
        yield make_printable(f"File: {name}")
    if isinstance(profile, Profile) and not is_compact:
        if program := _find_program(profile):
            yield make_printable(f"Program: {program}")
        if 0 < profile.time_unix_ns <= _MAX_TIME_NS:
            when = datetime.fromtimestamp(profile.time_unix_ns // 10**9, UTC)
            yield f"Time: {when:%Y-%m-%d %H:%M:%S} UTC"
        if profile.duration_ns > 0:
            yield f"Duration: {format_value(profile.duration_ns, 'nanoseconds')}"
    for comment in () if is_compact else profile.comments:
        yield make_printable(f"Comment: {comment}")
    yield make_printable(f"Type: {chosen_type.name}   Total: {total}")


def write_other_types(profile: Profile, chosen: TypeId) -> Iterator[str]:
    """If another type is shown than the file's default, which has no samples, return a line that
    says so and names the types that have some."""
    if chosen == profile.default_type:
        return
    types, default = profile.sample_types, profile.sample_types[profile.default_type].name
    used = np.flatnonzero(profile.samples.values.any(axis=1)).tolist()
    names = [types[at].name for at in used if at != chosen]
    others = f" Others, for --sample-index: {', '.join(names)}" if names else ""
    yield make_printable(f"The default type, {default}, has no samples.{others}")


def describe_header(
    profile: Profile | FunctionTable, name: str, chosen: TypeId, unit: str, total: int
) -> dict[str, Any]:
    """Return the header for JSON, with exact numbers. Unknown values are null."""
    document: dict[str, Any] = {"file": name}
    if isinstance(profile, Profile):
        document["time_unix_ns"] = profile.time_unix_ns or None
        document["duration_ns"] = profile.duration_ns or None
    return document | {
        "comments": list(profile.comments),
        "warnings": list(profile.warnings),
        "sample_types": [{"name": each.name, "unit": each.unit} for each in profile.sample_types],
        "sample_index": profile.sample_types[chosen].name,
        "unit": unit,
        "total": total,
    }


def _find_program(profile: Profile) -> str:
    """Return the first mapping's file, as pprof does, with its build; "" = unknown."""
    mappings, strings = profile.mappings, profile.strings
    if not len(mappings.filename) or not strings[mappings.filename[0]]:
        return ""
    build = strings[mappings.build_id[0]]
    file = posixpath.basename(strings[mappings.filename[0]])
    return f"{file}, build {build}" if build else file
