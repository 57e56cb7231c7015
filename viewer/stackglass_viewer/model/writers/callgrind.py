"""Writer of callgrind's format: the costs of functions by line, and of their calls.

::

    events: cpu
    fl=(1) app.py
    fn=(1) main
    cfn=(2) work
    calls=1 0
    12 900              main, in its line 12, calls work, which costs 900 with its callees

The format has no stacks. The number of calls is unknown in a profile, so 1 is written. As in pprof,
a call counts once per sample, and direct calls of a function by itself do not count.

A table of functions (cProfile, callgrind) has the number of calls, and no lines but that where a
function begins: its costs and its calls are written there. The format distinguishes the functions
of a file by name alone, so a name that a file has twice gets its line: ``<lambda>:12``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.model.writers.call_costs import CostRows, sum_costs
from stackglass_viewer.model.writers.line_table import list_lines

_NOT_IN_EVENTS = re.compile(r"\W+", re.ASCII)
_UNKNOWN = "???"  # as callgrind writes it


def write_callgrind(
    profile: Profile, name: str, sample_types: Sequence[TypeId], version: str
) -> bytes:
    """Return the file. ``name``: name of the profile; ``version``: version of this program. Raises
    ContentError for negative values."""
    values = profile.samples.values[list(sample_types)]
    types = [profile.sample_types[each] for each in sample_types]
    head = _describe_head(types, values, name, version)
    return _join([*head, *_describe_functions(profile, values)])


def write_table_callgrind(table: FunctionTable, name: str, version: str) -> bytes:
    """Return the file of a table: every function and every call. Raises ContentError for negative
    costs."""
    head = _describe_head(table.sample_types[: len(table.own)], table.own, name, version)
    return _join([*head, *_describe_rows(table)])


def _join(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode(errors="replace")


def _describe_head(
    types: Sequence[SampleType], costs: Int64s, name: str, version: str
) -> list[str]:
    """Return the lines above the functions. ``costs``: (n_types, n) own costs."""
    if (costs < 0).any():
        raise ContentError(
            "it has values below zero, which callgrind's format cannot hold",
            "write pprof or collapsed stacks",
        )
    return [
        "# callgrind format",
        "version: 1",
        f"creator: stackglass {version}",
        f"cmd: {make_printable(name)}",
        "positions: line",
        *_describe_events(types),
        f"summary: {' '.join(map(str, costs.sum(axis=1).tolist()))}",
    ]


def _describe_events(types: Sequence[SampleType]) -> Iterator[str]:
    """Declare the events. Their names must be words of letters and digits, so a second line has
    the full name."""
    words = []
    for kind in types:
        word = _NOT_IN_EVENTS.sub("_", f"{kind.name}_{kind.unit}") or "cost"
        word = f"e{word}" if word[0].isdecimal() else word
        while word in words:
            word += "_"
        words.append(word)
        yield f"event: {word} : {make_printable(f'{kind.name} ({kind.unit})')}"
    yield f"events: {' '.join(words)}"


def _describe_functions(profile: Profile, values: Int64s) -> Iterator[str]:
    table = list_lines(profile)
    own, calls = sum_costs(profile.samples, values, table)
    places = _Places(table.frames.file, table.frames.name)
    own_rows, call_rows = _write_rows(own), _write_rows(calls)
    callees = calls.callee.tolist()
    frames = np.union1d(own.frame, calls.frame)
    own_ends, call_ends = (
        np.searchsorted(each.frame, frames, "right").tolist() for each in (own, calls)
    )
    own_at = call_at = 0
    for frame, own_end, call_end in zip(frames.tolist(), own_ends, call_ends, strict=True):
        yield f"\n{places.describe(frame)}"
        yield from own_rows[own_at:own_end]
        for callee, row in zip(callees[call_at:call_end], call_rows[call_at:call_end], strict=True):
            yield places.describe_callee(callee)
            yield row
        own_at, call_at = own_end, call_end


def _describe_rows(table: FunctionTable) -> Iterator[str]:
    places = _Places(table.file, _make_unique(table))
    lines = table.line.tolist()
    own, edge_total = (
        [" ".join(map(str, costs)) for costs in np.maximum(columns, 0).T.tolist()]
        for columns in (table.own, table.edge_total)
    )
    order = np.argsort(table.edge_caller, kind="stable")
    callees, n_calls = table.edge_callee.tolist(), table.edge_n_calls.tolist()
    functions = np.arange(table.n_functions)
    ends = np.searchsorted(table.edge_caller[order], functions, "right").tolist()
    edges, at = order.tolist(), 0
    for function, end in enumerate(ends):
        yield f"\n{places.describe(function)}"
        yield f"{lines[function]} {own[function]}"
        for edge in edges[at:end]:
            callee, n = callees[edge], n_calls[edge]
            yield places.describe(callee, "c")
            yield f"calls={n if n >= 0 else 1} {lines[callee]}"
            yield f"{lines[function]} {edge_total[edge]}"
        at = end


def _make_unique(table: FunctionTable) -> list[str]:
    """Return the names, with the line where a file has a name several times."""
    keys = [*zip(table.file, table.name, strict=True)]
    n_of = Counter(keys)
    return [
        f"{key[1]}:{line}" if n_of[key] > 1 else key[1]
        for key, line in zip(keys, table.line.tolist(), strict=True)
    ]


def _write_rows(rows: CostRows) -> list[str]:
    columns = (map(str, column.tolist()) for column in (rows.line, *rows.costs))
    return [" ".join(row) for row in zip(*columns, strict=True)]


class _Places:
    """Files and functions as the format names them."""

    def __init__(self, file: Sequence[str], name: Sequence[str]) -> None:
        self._file, self._name = file, name  # of each frame
        self._files, self._names = _Numbers(), _Numbers()
        self._callees: dict[int, str] = {}  # texts of callees that have been written

    def describe(self, frame: int, key: str = "") -> str:
        file = self._files.describe(self._file[frame] or _UNKNOWN)
        return f"{key}fl={file}\n{key}fn={self._names.describe(self._name[frame])}"

    def describe_callee(self, frame: int) -> str:
        """Return the lines above a call. The first time, they may define names; after that, they
        have only the numbers of names."""
        known = self._callees.get(frame)
        if known is not None:
            return known
        described = f"{self.describe(frame, 'c')}\ncalls=1 0"
        self._callees[frame] = f"{self.describe(frame, 'c')}\ncalls=1 0"
        return described


class _Numbers:
    """Name compression of the format: a text is ``(1) main`` the first time, then ``(1)``."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    def describe(self, text: str) -> str:
        if text in self._number:
            return f"({self._number[text]})"
        self._number[text] = len(self._number) + 1
        return f"({self._number[text]}) {make_printable(text).strip() or _UNKNOWN}"
