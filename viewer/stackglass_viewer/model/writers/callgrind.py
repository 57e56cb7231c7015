"""Writer of callgrind's format: what functions cost line by line, and what their calls cost.

::

    events: cpu
    fl=(1) app.py
    fn=(1) main
    cfn=(2) work
    calls=1 0
    12 900              main, in its line 12, calls work: 900 with all that it calls

Stacks are not in it, and how often a function was called is unknown: each call is written as one. A
call counts once for each sample, as in pprof, and a function's call of itself not at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.model.writers.call_costs import CallCost, OwnCost, sum_costs
from stackglass_viewer.model.writers.line_table import list_lines

_NOT_IN_EVENTS = re.compile(r"\W+", re.ASCII)
_UNKNOWN = "???"  # as callgrind writes it


def write_callgrind(
    profile: Profile, name: str, sample_types: Sequence[TypeId], version: str
) -> bytes:
    """The file. ``name``: of the profile; ``version``: of this program. Raises ProfileError for
    values below zero."""
    values = profile.samples.values[list(sample_types)]
    if (values < 0).any():
        raise ProfileError(
            "it has values below zero, which callgrind's format cannot hold",
            "write pprof or collapsed stacks",
        )
    lines = [
        "# callgrind format",
        "version: 1",
        f"creator: stackglass {version}",
        f"cmd: {make_printable(name)}",
        "positions: line",
        *_describe_events(profile, sample_types),
        f"summary: {' '.join(map(str, values.sum(axis=1).tolist()))}",
    ]
    lines.extend(_describe_functions(profile, values))
    return "\n".join([*lines, ""]).encode(errors="replace")


def _describe_events(profile: Profile, sample_types: Sequence[TypeId]) -> Iterator[str]:
    """Names are words of letters and digits there; another line says them in full."""
    words = []
    for each in sample_types:
        kind = profile.sample_types[each]
        word = _NOT_IN_EVENTS.sub("_", f"{kind.name}_{kind.unit}") or "cost"
        word = f"e{word}" if word[0].isdecimal() else word
        while word in words:
            word += "_"
        words.append(word)
        yield f"event: {word} : {make_printable(f'{kind.name} ({kind.unit})')}"
    yield f"events: {' '.join(words)}"


def _describe_functions(profile: Profile, values: Int64s) -> Iterator[str]:
    table = list_lines(profile)
    frames = table.frames
    rows: dict[int, list[OwnCost | CallCost]] = defaultdict(list)
    for costs in sum_costs(profile.samples, values, table):
        for row in costs:
            rows[row.frame].append(row)
    files, names = _Numbers(), _Numbers()

    def place(frame: int, key: str) -> Iterator[str]:
        yield f"{key}fl={files.describe(frames.file[frame] or _UNKNOWN)}"
        yield f"{key}fn={names.describe(frames.name[frame])}"

    for frame in sorted(rows):
        yield ""
        yield from place(frame, "")
        for row in rows[frame]:
            if isinstance(row, CallCost):
                yield from place(row.callee, "c")
                yield "calls=1 0"
            yield f"{row.line} {' '.join(map(str, row.costs))}"


class _Numbers:
    """Texts as the format compresses them: ``(1) main`` the first time, then ``(1)``."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    def describe(self, text: str) -> str:
        if text in self._number:
            return f"({self._number[text]})"
        self._number[text] = len(self._number) + 1
        return f"({self._number[text]}) {make_printable(text).strip() or _UNKNOWN}"
