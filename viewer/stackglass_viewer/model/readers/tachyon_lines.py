"""Reader of JSON lines of Python's sampling profiler, Tachyon: `profiling.sampling --jsonl`.

::

    {"type": "meta", "v": 0, "sample_interval_usec": 1000, "mode": "wall", …}
    {"type": "string_table", "strings": [{"str_id": 0, "value": "work"}, …]}
    {"type": "frame_table", "frames": [{"frame_id": 0, "path_str_id": 1, "func_str_id": 0,
                                        "line": 7}, …]}
    {"type": "agg", "entries": [{"frame_id": 0, "self": 3, "cumulative": 9}, …]}
    {"type": "end", "samples_total": 12}

The entries count samples by frame, as the leaf and anywhere on the stack; there are no stacks and
callers. Frames in the same line become one row.
"""

from __future__ import annotations

import json
from array import array
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Symbol, replace_surrogates
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, list_lines

_VERSION = 0
_NS_A_US = 1000
_MOST = 2**62


def read_tachyon_lines(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> FunctionTable:
    """Read a whole file. Raises ProfileError."""
    reading = _Reading()
    try:
        for line in list_lines(content, progress):
            if line:
                reading.read(json.loads(line))
        return reading.build()
    except DAMAGE as error:
        raise ProfileError(explain_damage("Tachyon's JSON", error)) from None


class _Reading:
    """The records that were read so far."""

    def __init__(self) -> None:
        self._meta: dict[str, Any] = {}
        self._is_complete = False
        self._n_samples = 0
        self._strings: dict[int, str] = {}
        self._rows: dict[Symbol, int] = {}
        self._row: dict[int, int] = {}  # by frame
        self._own, self._total = array("q"), array("q")  # by row, samples

    def read(self, record: dict[str, Any]) -> None:
        """Read a record. Raises the exceptions of `DAMAGE`."""
        kind = record["type"]
        if record["v"] != _VERSION:
            raise ValueError(f"unknown version {str(record['v'])[:20]}")
        if kind == "meta":
            if self._meta:
                raise ValueError("a second run")
            self._meta = record
        elif kind == "string_table":
            self._strings.update((each["str_id"], str(each["value"])) for each in record["strings"])
        elif kind == "frame_table":
            for each in record["frames"]:
                self._add_frame(each)
        elif kind == "agg" and record["kind"] == "frame":
            for each in record["entries"]:
                row = self._row[each["frame_id"]]
                self._own[row] += _check_count(each["self"])
                self._total[row] += _check_count(each["cumulative"])
        elif kind == "end":
            self._n_samples = _check_count(record["samples_total"])
            self._is_complete = True

    def _add_frame(self, frame: dict[str, Any]) -> None:
        file, name = self._strings[frame["path_str_id"]], self._strings[frame["func_str_id"]]
        line = frame["line"] if 0 <= frame["line"] < 2**31 else 0
        symbol = Symbol(name, "" if file == "~" else file, line)
        row = self._rows.setdefault(symbol, len(self._rows))
        if row == len(self._own):
            self._own.append(0)
            self._total.append(0)
        self._row[frame["frame_id"]] = row

    def build(self) -> FunctionTable:
        """Build the table. Raises ProfileError, and the exceptions of `DAMAGE`."""
        if not self._is_complete:
            raise ProfileError("it is truncated: the last line of Tachyon's JSON is missing")
        interval_ns = _check_count(self._meta["sample_interval_usec"]) * _NS_A_US
        if self._n_samples * max(interval_ns, 1) > _MOST:
            raise OverflowError("too many samples")
        own, total = np.array(self._own, np.int64), np.array(self._total, np.int64)
        # With recursion within a line, a sample was counted for several frames of the line.
        total = np.minimum(total, self._n_samples)
        if own.sum() > self._n_samples or (own < 0).any():
            raise ValueError("more samples than there are")
        n = len(own)
        table = FunctionTable(
            name=tuple(replace_surrogates(symbol.name) for symbol in self._rows),
            file=tuple(replace_surrogates(symbol.file) for symbol in self._rows),
            line=np.array([symbol.line for symbol in self._rows], np.int32),
            n_calls=_no_calls(n),
            n_primitive_calls=_no_calls(n),
            own=np.stack([own * interval_ns, own]),
            total=np.stack([total * interval_ns, total]),
            edge_caller=_no_functions(),
            edge_callee=_no_functions(),
            edge_n_calls=_no_calls(0),
            edge_n_primitive_calls=_no_calls(0),
            edge_own=np.zeros((2, 0), np.int64),
            edge_total=np.zeros((2, 0), np.int64),
            sample_types=(SampleType("time", "nanoseconds"), SampleType("samples", "count")),
            default_type=TypeId(0),
            comments=tuple(
                replace_surrogates(f"mode: {self._meta[key]}")
                for key in ("mode",)
                if key in self._meta
            ),
            format_name="Tachyon's JSON",
        )
        freeze(
            *(
                value
                for value in (getattr(table, name) for name in table.__slots__)
                if isinstance(value, np.ndarray)
            )
        )
        return table


def _check_count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _MOST:
        raise ValueError("an invalid count")
    return value


def _no_calls(n: int) -> Int64s:
    return np.full(n, -1, np.int64)


def _no_functions() -> Int32s:
    return np.zeros(0, np.int32)
