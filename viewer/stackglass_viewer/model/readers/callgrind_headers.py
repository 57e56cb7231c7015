"""Reader of a callgrind file's header lines: events, positions, sums and remarks."""

from __future__ import annotations

import re

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.callgrind_events import Event, parse_events

_HEADER = re.compile(rb"([A-Za-z][\w ]*):\s*(.*)")
_MOST_QUOTED = 60  # characters of a line in an error
_NUMBER = re.compile(rb"[+-]?(\d{1,20}|0x[0-9a-fA-F]{1,16})")

REMEDY = "check that the file was copied whole, or record it again"

Form = tuple[int, int, tuple[int, ...]]
"""Form of the lines below a header: the number of positions in each, the index of the line number
among them (-1 = none), and a factor for each event."""


class Headers:
    """The headers that were read so far. Used by one thread."""

    def __init__(self, content: bytes | bytearray) -> None:
        self._content = content
        self.events: list[Event] = []
        self._events_text = b""
        self._full_names: dict[str, str] = {}  # of events
        self._n_positions, self._line_position = 1, 0
        self._sums: list[list[int]] = []  # by part of the file, the sums that it gives
        self.is_valgrind = False  # other writers leave out functions, and their sums differ
        self.is_yappi = False
        self._remarks: dict[str, None] = {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Lines about the writer, the command and the thread."""
        return tuple(self._remarks)

    @property
    def has_sum(self) -> bool:
        """Whether the file gives a sum of its costs."""
        return any(self._sums)

    @property
    def named_sum(self) -> int:
        """Sum of the first event's costs over all parts, as the file gives it; 0 = not given."""
        return sum(sums[0] for sums in self._sums if sums) * self.events[0].factor

    def read(self, begin: int, end: int, number: int) -> Form:
        """Read line ``number``, from ``begin`` to ``end``, and return the form of the lines below.
        Raises ContentError."""
        text = bytes(self._content[begin:end])
        try:
            found = _HEADER.fullmatch(text)
            if found is None:
                raise ValueError("is not of callgrind's format")
            self._read(found[1], found[2])
        except ValueError as error:
            raise refuse_line(number, str(error), text) from None
        return (
            self._n_positions,
            self._line_position,
            tuple(event.factor for event in self.events),
        )

    def _read(self, key: bytes, value: bytes) -> None:
        if key == b"version" and value != b"1":
            raise ValueError("has an unknown version: only version 1 can be read")
        self.is_valgrind |= key == b"desc" or value.startswith(b"callgrind")
        self.is_yappi |= key == b"creator" and value.startswith(b"yappi")
        if key == b"positions":
            positions = value.split()
            self._n_positions = len(positions)
            self._line_position = positions.index(b"line") if b"line" in positions else -1
        elif key == b"events":
            self._read_events(value)
        elif key == b"event":
            name, _, full_name = value.decode(errors="replace").partition(":")
            self._full_names[name.strip()] = full_name.strip()
        elif key in (b"creator", b"cmd", b"thread"):
            self._remarks[f"{key.decode()}: {value.decode(errors='replace')}"] = None
        elif key in (b"summary", b"totals"):
            sums = [_parse(each) for each in value.split()]
            if key == b"totals" and self._sums:
                self._sums.pop()  # "summary:" has given the sums of the same part
            self._sums.append(sums)

    def _read_events(self, value: bytes) -> None:
        if self._events_text and value.split() != self._events_text.split():
            raise ValueError('lists other events than the "events:" line before')
        if not self._events_text:
            self.events = parse_events(value.decode(errors="replace"), self._full_names)
            self._events_text = value


def refuse_line(number: int, reason: str, text: bytes) -> ContentError:
    """Return the error for a line that cannot be read."""
    quoted = repr(text[:_MOST_QUOTED].decode(errors="replace"))  # a control character takes four
    quoted = quoted if len(quoted) <= _MOST_QUOTED + 2 else f"{quoted[:_MOST_QUOTED]}…"
    return ContentError(f"line {number} {reason}: {quoted}", REMEDY)


def _parse(text: bytes) -> int:
    """Parse a cost. Raises ValueError."""
    if text == b".":  # cachegrind writes it for an event that does not apply
        return 0
    if not _NUMBER.fullmatch(text):
        raise ValueError("has a cost that is not a number")
    return int(text, 16 if b"x" in text else 10)
