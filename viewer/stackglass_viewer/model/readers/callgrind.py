"""Reader of callgrind's format: of valgrind, xdebug, pyprof2calltree, yappi, ``pprof -callgrind``.

::

    events: Ir Dr
    fl=(1) app.c        file, function; a number in brackets stands for a name given once
    fn=(1) main
    16 400 20           line, then a cost for each event: main itself
    cfn=(2) work
    calls=3 9           main calls work three times, which begins in line 9 …
    +2 900 40           … from line 18, and that costs all in all

cachegrind's files are the same without calls.
"""

from __future__ import annotations

import re

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.callgrind_events import Event, parse_events
from stackglass_viewer.model.readers.callgrind_names import Names
from stackglass_viewer.model.readers.function_costs import FunctionCosts
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    list_lines,
)

_HEADER = re.compile(rb"([A-Za-z][\w ]*):\s*(.*)")
_NAMING = re.compile(rb"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn|jfi|jfn)=\s*(.*)")
_CALLS = re.compile(rb"calls=\s*(\d{1,19}|0x[0-9a-fA-F]{1,16})(\s.*)?")
_JUMP = re.compile(rb"(jump|jcnd)=")
_NUMBER = re.compile(rb"[+-]?(\d{1,20}|0x[0-9a-fA-F]{1,16})")
_POSITION = re.compile(_NUMBER.pattern + rb"|\*")
_MAX_LINE = 2**31 - 1
_NO_CALL = -1


def read_callgrind(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> FunctionTable:
    """Raises ProfileError, with the line that cannot be read."""
    reading = _Reading()
    for number, line in enumerate(list_lines(content, progress), 1):
        text = line.strip()
        if not text or text.startswith(b"#"):
            continue
        try:
            reading.read_line(text)
        except (ValueError, OverflowError) as error:
            is_large = isinstance(error, OverflowError)
            reason = "has a number that 63 bits cannot hold" if is_large else str(error)
            shown = text[:60].decode(errors="replace")
            raise ProfileError(f"line {number} {reason}: {shown!r}") from None
    return reading.build()


class _Reading:
    """The file as far as it is read."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._events_text = b""
        self._costs = FunctionCosts(0)
        self._names = Names(self._add_function)
        self._n_positions, self._line_position = 1, 0
        self._line = 0
        self._callee, self._n_calls = _NO_CALL, 0
        self._sums: list[list[int]] = []  # that the file says it has, of each part
        self._is_valgrind = False  # others leave out functions, and sums are of other things
        self._remarks: dict[str, None] = {}

    def read_line(self, text: bytes) -> None:
        """A line that is neither empty nor a comment. Raises ValueError, OverflowError."""
        if text[0] in b"0123456789+-*":
            self._read_costs(text.split())
        elif self._callee != _NO_CALL:
            raise ValueError("is no cost of the calls above")
        elif found := _NAMING.fullmatch(text):
            self._names.read(found[1], found[2])
        elif found := _CALLS.fullmatch(text):
            self._callee, self._n_calls = self._names.callee, _parse(found[1])
        elif found := _HEADER.fullmatch(text):
            self._read_header(found[1], found[2])
        elif not _JUMP.match(text):
            raise ValueError("is not of callgrind's format")

    def _read_header(self, key: bytes, value: bytes) -> None:
        if key == b"version" and value != b"1":
            raise ValueError("gives a version that is not known here")
        self._is_valgrind |= key == b"desc" or value.startswith(b"callgrind")
        if key == b"positions":
            positions = value.split()
            self._n_positions = len(positions)
            self._line_position = positions.index(b"line") if b"line" in positions else -1
        elif key == b"events":
            self._read_events(value)
        elif key in (b"creator", b"cmd", b"thread"):
            self._remarks[f"{key.decode()}: {value.decode(errors='replace')}"] = None
        elif key in (b"summary", b"totals"):
            sums = [_parse(each) for each in value.split()]
            if key == b"totals" and self._sums:
                self._sums.pop()  # of the same part, in other words
            self._sums.append(sums)

    def _read_events(self, value: bytes) -> None:
        if self._events_text and value.split() != self._events_text.split():
            raise ValueError("gives other events than the part above")
        if not self._events_text:
            self._events = parse_events(value.decode(errors="replace"))
            self._events_text = value
            self._costs = FunctionCosts(len(self._events))

    def _add_function(self, name: str, file: str) -> int:
        if not self._events:
            raise ValueError("comes before the events are named")
        return self._costs.add_function(name, file)

    def _read_costs(self, fields: list[bytes]) -> None:
        self._read_position(fields[: self._n_positions])
        values = fields[self._n_positions :]
        if len(values) > len(self._events):
            raise ValueError("has more costs than there are events")
        costs = [
            _parse(value) * event.factor for value, event in zip(values, self._events, strict=False)
        ]
        function = self._names.function
        if self._callee != _NO_CALL:
            self._costs.add_call(function, self._callee, self._n_calls, costs)
            self._callee = _NO_CALL
        elif costs:
            line = self._line if self._names.is_in_own_file else 0
            self._costs.add_own(function, costs, line)

    def _read_position(self, fields: list[bytes]) -> None:
        """Of lines alone: a number, or how far it is from the one before."""
        if len(fields) < self._n_positions or not all(map(_POSITION.fullmatch, fields)):
            raise ValueError("has no place that can be read")
        if self._line_position < 0:
            return
        text = fields[self._line_position]
        if text != b"*":
            line = _parse(text) + (self._line if text[0] in b"+-" else 0)
            self._line = min(max(line, 0), _MAX_LINE)

    def build(self) -> FunctionTable:
        """The table, of a whole file. Raises ProfileError."""
        if not self._events:
            raise ProfileError("it is callgrind's format, but names no events")
        if self._callee != _NO_CALL:
            raise ProfileError("it is truncated: it ends before the cost of a call")
        return self._costs.build(
            [event.type for event in self._events],
            "callgrind",
            comments=tuple(self._remarks),
            warnings=self._compare_sums(),
            has_all_callees=self._is_valgrind,
        )

    def _compare_sums(self) -> tuple[str, ...]:
        """What is wrong with the first event, by the sums that the file names."""
        named = sum(sums[0] for sums in self._sums if sums) * self._events[0].factor
        found = self._costs.sum_own(0)
        if not self._is_valgrind or not named or named == found:
            return ()
        name = self._events[0].type.name
        return (f"its costs of {name} add up to {found}, not {named} as it says: is it whole?",)


def _parse(text: bytes) -> int:
    """Raises ValueError."""
    if text == b".":  # as cachegrind writes what does not apply
        return 0
    if not _NUMBER.fullmatch(text):
        raise ValueError("has a number that cannot be read")
    return int(text, 16 if b"x" in text else 10)
