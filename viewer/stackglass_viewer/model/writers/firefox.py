"""Writer of the Firefox Profiler's JSON, processed format: one sample type, threads by label.

::

    shared.stackTable   prefix: [null, 0, 1]   frame: [0, 1, 2]     a stack and its caller's
    threads[…].samples  stack: [2, 2, 1]       weight: [10, 3, 1]

A profile has no times of samples: they stand one after the other, so the order in time means
nothing. Other labels are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.units import find_scale
from stackglass_viewer.model.writers.frame_stacks import list_line_stacks
from stackglass_viewer.model.writers.line_table import LineTable, list_lines

_VERSION = 60  # of the format: the first with tables that threads share
_GECKO_VERSION = 31
_NS_A_MS = 1e6
_THREAD = "thread"
_NO_CATEGORY = {"name": "Other", "color": "grey", "subcategories": ["Other"]}
_NO_PROCESS = 0
_LINE_BITS = 32  # of a key


def write_firefox(profile: Profile, name: str, sample_type: TypeId, version: str) -> bytes:
    """The file. ``name``: shown as its title; ``version``: of this program."""
    table = list_lines(profile)
    stacks = _StackTable(profile, table)
    strings = _Strings()
    kind = profile.sample_types[sample_type]
    weights, weight_type = _weigh(profile.samples.values[sample_type], kind)
    document = {
        "meta": _describe_program(profile, name, kind, version),
        "libs": [],
        "pages": [],
        "shared": {
            "stackTable": stacks.describe(),
            **_describe_frames(table, strings),
            "resourceTable": {"length": 0, "name": [], "host": [], "lib": [], "type": []},
            "nativeSymbols": {
                **{column: [] for column in ("libIndex", "address", "name", "functionSize")},
                "length": 0,
            },
            "stringArray": strings.texts,
        },
        "threads": [
            _describe_thread(number, thread, rows, stacks.of_sample, weights, weight_type)
            for number, (thread, rows) in enumerate(_split_threads(profile))
        ],
    }
    return json.dumps(document, separators=(",", ":")).encode()


class _Strings:
    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    @property
    def texts(self) -> list[str]:
        return list(self._number)

    def add(self, text: str) -> int:
        return self._number.setdefault(text, len(self._number))


class _StackTable:
    """The stacks of all samples as a tree of lines; a parent comes before its children."""

    def __init__(self, profile: Profile, table: LineTable) -> None:
        samples = profile.samples
        self._line: list[int] = []
        self._prefix: list[int | None] = []
        self._number_of: dict[int, int] = {}  # by a parent's number and a line
        known: dict[bytes, int | None] = {}
        self.of_sample: list[int | None] = []  # None = an empty stack
        starts = samples.stack_start.tolist()
        stacks = list_line_stacks(samples, table.frames)
        for first, last, rows in zip(starts[:-1], starts[1:], stacks, strict=True):
            key = samples.stack[first:last].tobytes()
            if key not in known:
                known[key] = self._add(rows)
            self.of_sample.append(known[key])

    def _add(self, rows: list[int]) -> int | None:
        numbers = self._number_of
        at = -1
        for row in rows:
            key = (at + 1) << _LINE_BITS | row
            found = numbers.get(key)
            if found is None:
                found = numbers[key] = len(self._line)
                self._line.append(row)
                self._prefix.append(at if at >= 0 else None)
            at = found
        return at if at >= 0 else None

    def describe(self) -> dict[str, Any]:
        return {"frame": self._line, "prefix": self._prefix, "length": len(self._line)}


def _describe_frames(table: LineTable, strings: _Strings) -> dict[str, Any]:
    """Tables of lines, functions and files; each line is a frame there."""
    frames = table.frames
    n, n_functions = len(table.frame), len(frames.name)
    files = {file: number for number, file in enumerate(dict.fromkeys(filter(None, frames.file)))}
    return {
        "frameTable": {
            "address": [-1] * n,
            "inlineDepth": [0] * n,
            "category": [0] * n,
            "subcategory": [0] * n,
            "func": table.frame.tolist(),
            "nativeSymbol": [None] * n,
            "innerWindowID": [None] * n,
            "line": [line if line > 0 else None for line in table.line.tolist()],
            "column": [None] * n,
            "length": n,
        },
        "funcTable": {
            "name": [strings.add(name) for name in frames.name],
            "isJS": [False] * n_functions,
            "relevantForJS": [False] * n_functions,
            "resource": [-1] * n_functions,
            "source": [files.get(file) for file in frames.file],
            "lineNumber": [line if line > 0 else None for line in frames.line.tolist()],
            "columnNumber": [None] * n_functions,
            "length": n_functions,
        },
        "sources": {
            "uuid": [None] * len(files),
            "filename": [strings.add(file) for file in files],
            "length": len(files),
        },
    }


def _weigh(values: Int64s, kind: SampleType) -> tuple[list[float], str]:
    """Values as the format weighs samples: bytes, milliseconds or a number of samples."""
    scale, factor = find_scale(kind.unit)
    if scale == "time":
        return (values * (factor / _NS_A_MS)).tolist(), "tracing-ms"
    if scale == "bytes":
        return (values * int(factor)).tolist(), "bytes"
    return values.tolist(), "samples"


def _split_threads(profile: Profile) -> Iterator[tuple[str, list[int]]]:
    """The samples of each value of the label ``thread``, in the order of their first ones; with
    others, or without such a label, those of "all"."""
    labels, strings = profile.labels, profile.strings
    texts = {
        sample: strings[text]
        for sample, key, text in zip(
            labels.sample.tolist(), labels.key.tolist(), labels.text.tolist(), strict=True
        )
        if text >= 0 and strings[key] == _THREAD
    }
    rows: dict[str, list[int]] = {}
    for sample in range(profile.n_samples):
        rows.setdefault(texts.get(sample, "all"), []).append(sample)
    yield from rows.items()


def _describe_thread(
    number: int,
    name: str,
    rows: Sequence[int],
    stacks: Sequence[int | None],
    weights: Sequence[float],
    weight_type: str,
) -> dict[str, Any]:
    rows = [row for row in rows if weights[row]]
    chosen = [weights[row] for row in rows]
    steps = [abs(weight) if weight_type == "tracing-ms" else 1.0 for weight in chosen]
    times = np.concatenate(([0.0], np.cumsum(steps)))[: len(rows)].tolist()
    return {
        "processType": "default",
        "processStartupTime": 0,
        "processShutdownTime": None,
        "registerTime": 0,
        "unregisterTime": None,
        "pausedRanges": [],
        "name": name,
        "isMainThread": number == 0,
        "pid": str(_NO_PROCESS),
        "tid": number,
        "samples": {
            "stack": [stacks[row] for row in rows],
            "time": times,
            "weight": chosen,
            "weightType": weight_type,
            "length": len(rows),
        },
        "markers": {
            **{
                column: []
                for column in ("data", "name", "startTime", "endTime", "phase", "category")
            },
            "length": 0,
        },
    }


def _describe_program(
    profile: Profile, name: str, kind: SampleType, version: str
) -> dict[str, Any]:
    return {
        "interval": 1,
        "startTime": profile.time_unix_ns / _NS_A_MS,
        "processType": 0,
        "product": f"{name}, {kind.name}",
        "importedFrom": f"stackglass {version}",
        "stackwalk": 0,
        "debug": False,
        "symbolicated": True,
        "version": _GECKO_VERSION,
        "preprocessedProfileVersion": _VERSION,
        "categories": [_NO_CATEGORY],
        "markerSchema": [],
    }
