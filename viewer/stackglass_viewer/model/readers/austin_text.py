"""Reader of Austin's text.

::

    # mode: wall
    P4711;T0:4712;app.py:main:12;app.py:work:7 520

    process; interpreter and thread; file, function and line, root first; µs, bytes in the mode
    memory, and ``µs,idle,bytes`` in the mode full, for which mojo2austin writes times alone

A loop in C reads the samples and numbers their frames; each distinct frame is parsed here, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_times import repeat_number
from stackglass_viewer.model.readers.austin_samples import (
    COLLECTOR,
    INVALID,
    AustinRows,
    SampleTimings,
    build_profile,
    limit_times,
)
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_pieces import (
    list_pieces,
    list_rows,
    refuse_long_line,
    report_to,
)
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, warn_of_cut
from stackglass_viewer.model.readers.text_stacks import add_stacks
from stackglass_viewer.native import _loops

_REMARK = re.compile(r"# (\w+): (.*)")
_MARKS = {":INVALID:": INVALID, ":GC:": COLLECTOR}
_MAX_LINE = 2**31
_NO_SAMPLE = "is not a sample of Austin"
_TOO_LARGE = "has values whose sums 64 bits cannot hold"


def read_austin_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    lines = _loops.read_austin_lines(content, limit_times(len(content)), report_to(progress))
    metadata = _read_remarks(content, lines)
    if number := lines["misfit_number"]:
        text = _decode(content, lines["misfit_begin"], lines["misfit_end"])
        reason = _TOO_LARGE if lines["has_overflow"] else _NO_SAMPLE
        raise ContentError(f"line {number} {reason}: {text[:60]!r}")
    refuse_long_line(lines["refused_bytes"])
    samples = FrameSamples()
    try:
        return build_profile(
            samples,
            _read_rows(content, lines, samples),
            _read_timings(lines),
            metadata,
            warn_of_cut(content),
        )
    except ValueError as error:
        raise ContentError(f"it is Austin's format, of an {error}") from None


def _read_rows(
    content: bytes | bytearray, lines: dict[str, Any], samples: FrameSamples
) -> AustinRows:
    stack = add_stacks(content, lines, samples, _parse_frame)
    columns = (np.asarray(lines.pop(name)) for name in ("row_thread", "stack_start", "sums"))
    thread, stack_start, sums = columns
    threads = _list_threads(content, lines)
    return AustinRows(threads, thread, stack_start, stack, sums.reshape(-1, 4))


def _decode(content: bytes | bytearray, begin: int, end: int) -> str:
    return content[begin:end].decode(errors="replace").strip()


def _read_remarks(content: bytes | bytearray, lines: dict[str, Any]) -> dict[str, str]:
    """Return the remarks ``# key: value``. Raises ContentError."""
    metadata: dict[str, str] = {}
    columns = (lines[f"remark_{each}"] for each in ("number", "begin", "end"))
    for index, (number, begin, end) in enumerate(list_rows(*columns)):
        if index == lines["plain_from"]:
            metadata["mode"] = "wall"
        text = _decode(content, begin, end)
        remark = _REMARK.fullmatch(text)
        if remark is None:
            raise ContentError(f"line {number} {_NO_SAMPLE}: {text[:60]!r}")
        metadata[remark[1]] = remark[2]
    if lines["plain_from"] == len(np.asarray(lines["remark_number"])):
        metadata["mode"] = "wall"
    return metadata


def _list_threads(content: bytes | bytearray, lines: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield process and thread, without their letters, of each ``P4711;T0:4712``."""
    for piece in list_pieces(content, lines["thread_begin"], lines["thread_bytes"]):
        process, _, thread = piece.decode().partition(";")
        yield process[1:], thread[1:]


def _read_timings(lines: dict[str, Any]) -> SampleTimings:
    columns = [np.asarray(lines.pop(name)) for name in SampleTimings._fields]
    n = len(columns[0])
    # A column of zeros comes without rows.
    whole: list[Any] = [each if len(each) else repeat_number(0, n) for each in columns]
    return SampleTimings(*whole)


def _parse_frame(text: str) -> Symbol:
    if text in _MARKS:
        return _MARKS[text]
    parts = text.rsplit(":", 2)
    if len(parts) < 3 or not parts[2].isdecimal() or len(parts[2]) > 10:
        return Symbol(text, "", 0)
    line = int(parts[2])
    return Symbol(parts[1], parts[0], line if line < _MAX_LINE else 0)
