"""Writer of the Firefox Profiler's JSON, processed format: one sample type, threads by label.

::

    shared.stackTable   prefix: [null, 0, 1]   frame: [0, 1, 2]     a stack and its caller's
    threads[…].samples  stack: [2, 2, 1]       weight: [10, 3, 1]

Samples have their times. Those without a known time follow all others, one after another, in
an order without meaning. Labels other than those of threads are left out.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s, TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.units import find_scale
from stackglass_viewer.model.writers.line_table import LineTable, list_lines
from stackglass_viewer.model.writers.timed_rows import (
    TimedRows,
    list_timed_rows,
    split_threads,
)
from stackglass_viewer.native import _loops

_VERSION = 60  # of the format: the first with tables that threads share
_GECKO_VERSION = 31
_NS_PER_MS = 1e6
_DEFAULT_INTERVAL_MS = 1
_NO_CATEGORY = {"name": "Other", "color": "grey", "subcategories": ["Other"]}
_NO_PROCESS = 0
_Weights = Int64s | Float64s


def write_firefox(profile: Profile, name: str, sample_type: TypeId, version: str) -> bytes:
    """Return the file. ``name``: its title; ``version``: version of this program."""
    table = list_lines(profile)
    stacks = _StackTable(profile, table)
    strings = _Strings()
    kind = profile.sample_types[sample_type]
    rows = list_timed_rows(profile, sample_type)
    weights, weight_type = _weigh(rows.value, kind)
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
            {
                **_describe_thread(number, thread),
                "samples": {
                    "stack": stacks.list_stacks(rows.sample[here]),
                    "time": _list_times_ms(rows, here, weights, weight_type),
                    "weight": weights[here].tolist(),
                    "weightType": weight_type,
                    "length": len(here),
                },
            }
            for number, (thread, here) in enumerate(split_threads(profile, rows.sample))
        ],
    }
    return json.dumps(document, separators=(",", ":")).encode()


class _Strings:
    """The file's string table."""

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
        samples, n_lines = profile.samples, len(table.frame)
        try:
            columns = _loops.build_tree(
                samples.stack_start,
                samples.stack,
                table.frames.line_start,
                np.arange(n_lines, dtype=np.int32),
                n_lines,
                _go_on,
            )
        except OverflowError:
            raise ContentError("its inlined calls make its stacks too large to write") from None
        # Node 0 is the root, which the format does not have.
        self._line = np.asarray(columns["frame"])[1:]
        self._prefix = np.asarray(columns["parent"])[1:] - 1
        self._of_sample = np.asarray(columns["sample_node"]) - 1

    def list_stacks(self, samples: Int64s) -> list[int | None]:
        """Return the stack of each sample; None = an empty stack."""
        return _list_optional(self._of_sample[samples])

    def describe(self) -> dict[str, Any]:
        return {
            "frame": self._line.tolist(),
            "prefix": _list_optional(self._prefix),
            "length": len(self._line),
        }


def _list_optional(numbers: Int32s) -> list[int | None]:
    return [number if number >= 0 else None for number in numbers.tolist()]


def _go_on(_share: float) -> bool:
    return True


def _describe_frames(table: LineTable, strings: _Strings) -> dict[str, Any]:
    """Return the tables of frames, functions and files; each line is a frame of the format."""
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


def _weigh(values: Int64s, kind: SampleType) -> tuple[_Weights, str]:
    """Return values as weights of the format, and their type: bytes, milliseconds or a number of
    samples."""
    scale, factor = find_scale(kind.unit)
    if scale == "time":
        return values.astype(np.float64) * (factor / _NS_PER_MS), "tracing-ms"
    if scale == "bytes":
        return values * int(factor), "bytes"
    return values, "samples"


def _list_times_ms(
    rows: TimedRows, here: Int64s, weights: _Weights, weight_type: str
) -> list[float]:
    """Return the times of a thread's rows. Rows without a known time follow the last moment of the
    file."""
    n_timed = int(np.searchsorted(here, len(rows.begin_ns)))
    untimed = weights[here[n_timed:]]
    steps = np.abs(untimed) if weight_type == "tracing-ms" else np.ones(len(untimed))
    later = np.concatenate(([0.0], np.cumsum(steps)))[: len(untimed)] + rows.length_ns / _NS_PER_MS
    return [*(rows.begin_ns[here[:n_timed]] / _NS_PER_MS).tolist(), *later.tolist()]


def _describe_thread(number: int, name: str) -> dict[str, Any]:
    """Return the fields of a thread, without its samples."""
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
        "interval": _find_interval_ms(profile),
        "startTime": profile.time_unix_ns / _NS_PER_MS,
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


def _find_interval_ms(profile: Profile) -> float:
    """Return the sampling period if it is a time, else a default."""
    if profile.period_type is None or profile.period <= 0:
        return _DEFAULT_INTERVAL_MS
    scale, factor = find_scale(profile.period_type.unit)
    return profile.period * factor / _NS_PER_MS if scale == "time" else _DEFAULT_INTERVAL_MS
