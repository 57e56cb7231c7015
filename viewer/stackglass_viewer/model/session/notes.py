"""Notes in a session file: facts that only the client knows, as JSON.

The first chunk of a saved session is a note with its head. Later notes record that samples were
dropped, names and lines of machine code, and the marks on the timeline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.live.native_lines import NativeLines

MOST_RAW_BYTES = 1 << 30
"""Most bytes of all messages and notes of a saved session, unpacked."""
_MOST_PID = 1 << 31
_MOST_TIME_NS = 1 << 62
_MOST_LETTERS = 4096
_MOST_LINE = 1 << 32


class Head(NamedTuple):
    """The content of a saved session's first note."""

    pid: int
    command: str
    connected_mono_ns: int  # CLOCK_MONOTONIC when the client connected

    def to_notes(self) -> Mapping[str, object]:
        """Return the value as an object for JSON."""
        return {
            "session": 1,
            "pid": self.pid,
            "command": self.command[:_MOST_LETTERS],
            "connected_mono_ns": self.connected_mono_ns,
        }


class Marks(NamedTuple):
    """The marks on a session's timeline; ns since the session's start."""

    kind: Literal["span", "growth"]  # show the span, or the growth from its begin to its end
    begin_ns: int
    end_ns: int | None  # None = the end of the session, only for growth

    def to_notes(self) -> Mapping[str, object]:
        """Return the value as an object for JSON."""
        return self._asdict()


class Notes(NamedTuple):
    """The notes of one chunk. Missing notes are None, empty or False."""

    head: Head | None
    names: Mapping[int, str]  # by string: names of machine code that the next message defines
    lines: NativeLines  # lines of machine code that earlier messages have defined
    is_clear: bool  # the samples so far were dropped
    marks: Marks | None
    has_marks: bool  # ``marks`` replaces the marks of earlier notes, even by None
    alive: frozenset[int] | None  # the process's threads when it was saved


def read_notes(content: bytes) -> Notes:
    """Read the notes of a chunk. Raises ContentError."""
    try:
        notes = json.loads(content)
        if not isinstance(notes, dict):
            raise TypeError
        head = _read_head(notes) if "session" in notes else None
        names = {int(number): _text(name) for number, name in dict(notes.get("names", {})).items()}
        lines = {
            int(location): tuple(map(_read_line, found))
            for location, found in dict(notes.get("lines", {})).items()
        }
        if any(number < 0 for number in names):
            raise ValueError
        marks = _read_marks(notes.get("marks"))
        alive = (
            frozenset(_number(tid, _MOST_PID) for tid in notes["alive"])
            if ("alive" in notes)
            else None
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ContentError("it is damaged: a note cannot be read") from None
    return Notes(head, names, lines, notes.get("clear") is True, marks, "marks" in notes, alive)


def _read_marks(found: object) -> Marks | None:
    match found:
        case None:
            return None
        case {"kind": "span", "begin_ns": begin_ns, "end_ns": end_ns}:
            span = _number(begin_ns, _MOST_TIME_NS), _number(end_ns, _MOST_TIME_NS)
            return Marks("span", min(span), max(span))
        case {"kind": "growth", "begin_ns": begin_ns, "end_ns": end_ns}:
            end = None if end_ns is None else _number(end_ns, _MOST_TIME_NS)
            return Marks("growth", _number(begin_ns, _MOST_TIME_NS), end)
    raise ValueError


def _read_line(row: Sequence[object]) -> NativeLine:
    text, symbol, file, line, start_line = row
    return NativeLine(
        _text(text),
        _text(symbol),
        _text(file),
        _number(line, _MOST_LINE),
        _number(start_line, _MOST_LINE),
    )


def _read_head(notes: Mapping[str, object]) -> Head:
    if notes["session"] != 1:
        raise ContentError("it is a session file of a later version of Stackglass")
    return Head(
        _number(notes["pid"], _MOST_PID),
        _text(notes["command"])[:_MOST_LETTERS],
        _number(notes["connected_mono_ns"], _MOST_TIME_NS),
    )


def _number(value: object, end: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < end:
        raise ValueError
    return value


def _text(value: object) -> str:
    """Return a text without lone surrogates, which UTF-8 cannot hold. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError
    return value.encode("utf-8", "replace").decode()
