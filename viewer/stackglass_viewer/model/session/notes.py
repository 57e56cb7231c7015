"""Notes in a session file: what the client knows that the engine does not send.

The first chunk of a saved session is a note of these; later ones say that samples were dropped,
which names machine code got, and what was chosen on the timeline when the file was saved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.live.native_lines import Lines

MOST_RAW_BYTES = 1 << 30
"""Of all messages and notes of a saved session, unpacked."""
_MOST_PID = 1 << 31
_MOST_TIME_NS = 1 << 62
_MOST_LETTERS = 4096
_MOST_LINE = 1 << 32


class Head(NamedTuple):
    """What a saved session's first note says of it."""

    pid: int
    command: str
    connected_mono_ns: int  # CLOCK_MONOTONIC when the client connected

    def to_notes(self) -> Mapping[str, object]:
        """As an object of JSON."""
        return {
            "session": 1,
            "pid": self.pid,
            "command": self.command[:_MOST_LETTERS],
            "connected_mono_ns": self.connected_mono_ns,
        }


class Marks(NamedTuple):
    """What is chosen on a session's timeline; ns since the client connected."""

    kind: Literal["span", "growth"]  # what was in it; what grew from its begin to its end
    begin_ns: int
    end_ns: int | None  # None = the end of the session, only of growth

    def to_notes(self) -> Mapping[str, object]:
        """As an object of JSON."""
        return self._asdict()


class Notes(NamedTuple):
    """The notes of one chunk; what is not in it is None, empty or False."""

    head: Head | None
    names: Mapping[int, str]  # by string: of the machine code that the next message defines
    lines: Lines  # of the machine code of earlier messages
    is_clear: bool  # the samples so far were dropped
    marks: Marks | None
    has_marks: bool  # what earlier notes say of marks no longer holds


def read_notes(content: bytes) -> Notes:
    """The notes of a chunk. Raises ProfileError."""
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
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ProfileError("it is damaged: a note cannot be read") from None
    return Notes(head, names, lines, notes.get("clear") is True, marks, "marks" in notes)


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
        raise ProfileError("it is a session file of a later version of Stackglass")
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
    """Text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise TypeError
    return value.encode("utf-8", "replace").decode()
