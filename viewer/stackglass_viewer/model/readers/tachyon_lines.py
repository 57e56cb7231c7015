"""Reader of JSON lines of Python's sampling profiler, Tachyon: `profiling.sampling --jsonl`.

::

    {"type": "meta", "v": 0, "sample_interval_usec": 1000, "mode": "wall", …}
    {"type": "string_table", "strings": [{"str_id": 0, "value": "work"}, …]}
    {"type": "frame_table", "frames": [{"frame_id": 0, "path_str_id": 1, "func_str_id": 0,
                                        "line": 7}, …]}
    {"type": "agg", "entries": [{"frame_id": 0, "self": 3, "cumulative": 9}, …]}
    {"type": "end", "samples_total": 12}

The entries count samples by frame, as the leaf and anywhere on the stack; there are no stacks
and no callers. Frames in the same line become one row.
"""

from __future__ import annotations

import json
from array import array
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import replace_surrogates
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, list_lines

_VERSION = 0
_NS_PER_US = 1000
_MOST = 2**62
_NO_COUNT = "an invalid count"


def read_tachyon_lines(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> FunctionTable:
    """Read a whole file. Raises ContentError."""
    reading = _Reading()
    try:
        for line in list_lines(content, progress):
            if line:
                reading.read(json.loads(line))
        return reading.build()
    except DAMAGE as error:
        raise ContentError(explain_damage("Tachyon's JSON", error)) from None


class _Reading:
    """The records that were read so far."""

    def __init__(self) -> None:
        self._meta: dict[str, Any] = {}
        self._is_complete = False
        self._n_samples = 0
        self._strings: dict[int, str] = {}
        self._rows: dict[tuple[str, str, int], int] = {}  # by name, file and line
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
            self._add_frames(record["frames"])
        elif kind == "agg" and record["kind"] == "frame":
            self._add_entries(record["entries"])
        elif kind == "end":
            self._n_samples = _check_count(record["samples_total"])
            self._is_complete = True

    def _add_frames(self, frames: list[dict[str, Any]]) -> None:
        strings, rows, row = self._strings, self._rows, self._row
        for frame in frames:
            file, name = strings[frame["path_str_id"]], strings[frame["func_str_id"]]
            line = frame["line"]
            symbol = (name, "" if file == "~" else file, line if 0 <= line < 2**31 else 0)
            row[frame["frame_id"]] = rows.setdefault(symbol, len(rows))
        new = array("q", bytes(8 * (len(rows) - len(self._own))))
        self._own += new
        self._total += new

    def _add_entries(self, entries: list[dict[str, Any]]) -> None:
        row, own, total = self._row, self._own, self._total
        for entry in entries:
            place, n_own, n_total = row[entry["frame_id"]], entry["self"], entry["cumulative"]
            if type(n_own) is not int or type(n_total) is not int:
                raise ValueError(_NO_COUNT)
            if not (0 <= n_own <= _MOST and 0 <= n_total <= _MOST):
                raise ValueError(_NO_COUNT)
            own[place] += n_own
            total[place] += n_total

    def build(self) -> FunctionTable:
        """Build the table. Raises ContentError, and the exceptions of `DAMAGE`."""
        if not self._is_complete:
            raise ContentError("it is truncated: the last line of Tachyon's JSON is missing")
        interval_ns = _check_count(self._meta["sample_interval_usec"]) * _NS_PER_US
        if self._n_samples * max(interval_ns, 1) > _MOST:
            raise OverflowError("too many samples")
        own, total = np.array(self._own, np.int64), np.array(self._total, np.int64)
        # With recursion within a line, a sample was counted for several frames of the line.
        total = np.minimum(total, self._n_samples)
        if sum(self._own) > self._n_samples:  # not `own.sum`, which may exceed 64 bits
            raise ValueError("more samples than there are")
        n = len(own)
        table = FunctionTable(
            name=tuple(replace_surrogates(name) for name, _, _ in self._rows),
            file=tuple(replace_surrogates(file) for _, file, _ in self._rows),
            line=np.array([line for _, _, line in self._rows], np.int32),
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
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError(_NO_COUNT)
    return value


def _no_calls(n: int) -> Int64s:
    return np.full(n, -1, np.int64)


def _no_functions() -> Int32s:
    return np.zeros(0, np.int32)
