"""Plain reader of callgrind's format, line by line: the reference for the loop in C."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.callgrind_events import Event, parse_events
from stackglass_viewer.model.readers.callgrind_headers import REMEDY, refuse_line
from stackglass_viewer.model.readers.function_costs import FunctionCosts
from stackglass_viewer.model.readers.text_rows import list_lines

_HEADER = re.compile(rb"([A-Za-z][\w ]*):\s*(.*)")
_NAMING = re.compile(rb"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn|jfi|jfn)=\s*(.*)")
_CALLS = re.compile(rb"calls=\s*(\d{1,19}|0x[0-9a-fA-F]{1,16})(\s.*)?")
_JUMP = re.compile(rb"(jump|jcnd)=")
_NUMBER = re.compile(rb"[+-]?(\d{1,20}|0x[0-9a-fA-F]{1,16})")
_POSITION = re.compile(_NUMBER.pattern + rb"|\*")
_MAX_LINE = 2**31 - 1
_NO_CALL = _NONE = -1
_NUMBERED = re.compile(rb"\((\d{1,18})\)\s*(.*)")
_UNKNOWN = ("", "???", "~")
_OBJECTS, _FILES, _FUNCTIONS = "object", "file", "function"
_ARTICLE = {_OBJECTS: "an", _FILES: "a", _FUNCTIONS: "a"}
_KINDS = {
    b"ob": _OBJECTS,
    b"cob": _OBJECTS,
    b"fl": _FILES,
    b"fi": _FILES,
    b"fe": _FILES,
    b"cfi": _FILES,
    b"cfl": _FILES,
    b"jfi": _FILES,
    b"fn": _FUNCTIONS,
    b"cfn": _FUNCTIONS,
    b"jfn": _FUNCTIONS,
}


def read_plainly(content: bytes) -> FunctionTable:
    """Read a file. Raises ContentError with the line that cannot be read."""
    reading = _Reading(content)
    for number, line in enumerate(list_lines(content), 1):
        text = line.strip()
        if not text or text.startswith(b"#"):
            continue
        try:
            reading.read_line(text)
        except (ValueError, OverflowError) as error:
            is_large = isinstance(error, OverflowError)
            reason = (
                "has a number above 9223372036854775807, or costs that add up to more"
                if is_large
                else str(error)
            )
            raise refuse_line(number, reason, text) from None
    return reading.build()


class _Reading:
    """State of a file that is being read."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._events: list[Event] = []
        self._events_text = b""
        self._full_names: dict[str, str] = {}
        self._costs = _Costs(0)
        self._names = _Names(self._add_function)
        self._n_positions, self._line_position = 1, 0
        self._line = 0
        self._callee, self._n_calls = _NO_CALL, 0
        self._sums: list[list[int]] = []  # sums that the file states, for each part
        self._is_valgrind = False  # other tools leave out functions, or state other sums
        self._is_yappi = False
        self._remarks: dict[str, None] = {}

    def read_line(self, text: bytes) -> None:
        """Read a line that is neither empty nor a comment. Raises ValueError, OverflowError."""
        if text[0] in b"0123456789+-*":
            self._read_costs(text.split())
        elif self._callee != _NO_CALL:
            raise ValueError('should hold the costs of the calls in the line above ("calls=…")')
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
            raise ValueError("has an unknown version: only version 1 can be read")
        self._is_valgrind |= key == b"desc" or value.startswith(b"callgrind")
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
            self._is_yappi |= key == b"creator" and value.startswith(b"yappi")
            self._remarks[f"{key.decode()}: {value.decode(errors='replace')}"] = None
        elif key in (b"summary", b"totals"):
            sums = [_parse(each) for each in value.split()]
            if key == b"totals" and self._sums:
                self._sums.pop()  # another line about the same part
            self._sums.append(sums)

    def _read_events(self, value: bytes) -> None:
        if self._events_text and value.split() != self._events_text.split():
            raise ValueError('lists other events than the "events:" line before')
        if not self._events_text:
            self._events = parse_events(value.decode(errors="replace"), self._full_names)
            self._events_text = value
            self._costs = _Costs(len(self._events))

    def _add_function(self, name: str, file: str) -> int:
        if not self._events:
            raise ValueError('names a function before "events:" says what is measured')
        return self._costs.add_function(name, file)

    def _read_costs(self, fields: list[bytes]) -> None:
        self._read_position(fields[: self._n_positions])
        values = fields[self._n_positions :]
        if len(values) > len(self._events):
            raise ValueError('has more costs than "events:" lists')
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
        """Read a line number, absolute or relative to the previous one."""
        if len(fields) < self._n_positions or not all(map(_POSITION.fullmatch, fields)):
            raise ValueError(
                'does not begin with a line number, or the columns that "positions:" lists'
            )
        if self._line_position < 0:
            return
        text = fields[self._line_position]
        if text != b"*":
            line = _parse(text) + (self._line if text[0] in b"+-" else 0)
            self._line = min(max(line, 0), _MAX_LINE)

    def build(self) -> FunctionTable:
        """Build the table of a whole file. Raises ContentError."""
        if not self._events:
            raise ContentError(
                'it is callgrind\'s format, but has no line "events:" that says what is measured',
                REMEDY,
            )
        if self._callee != _NO_CALL:
            raise ContentError("it is truncated: it ends before the costs of a call", REMEDY)
        return self._costs.build().build(
            [event.type for event in self._events],
            "callgrind",
            comments=tuple(self._remarks),
            warnings=(*self._warn_of_cut(), *self._compare_sums()),
            has_all_callees=self._is_valgrind,
        )

    def _warn_of_cut(self) -> tuple[str, ...]:
        """Warn if the last line has no end. yappi's never has one, so there it must have costs."""
        last = self._content[-(1 << 20) :].rstrip().split(b"\n")[-1]
        if self._is_yappi:
            is_whole = bool(re.fullmatch(rb"\d+ \d+|events: Ticks", last))
        else:
            is_whole = self._content.endswith(b"\n")
        return () if is_whole else ("its last line has no end: is it whole?",)

    def _compare_sums(self) -> tuple[str, ...]:
        """Warn if the costs of the first event differ from the sums that the file states."""
        if self._is_valgrind and not any(self._sums):
            return ("it has no summary, the last line that valgrind writes: is it whole?",)
        named = sum(sums[0] for sums in self._sums if sums) * self._events[0].factor
        found = self._costs.build().sum_own(0)
        if not self._is_valgrind or not named or named == found:
            return ()
        name = self._events[0].type.name
        return (f"its costs of {name} add up to {found}, not {named} as it says: is it whole?",)


class _Costs:
    def __init__(self, n_costs: int) -> None:
        self._name: list[str] = []
        self._file: list[str] = []
        self._line = array("i")
        self._own = [array("q") for _ in range(n_costs)]
        self._caller, self._callee = array("i"), array("i")
        self._n_calls = array("q")
        self._caused = [array("q") for _ in range(n_costs)]

    def add_function(self, name: str, file: str) -> int:
        self._name.append(name)
        self._file.append(file)
        self._line.append(0)
        for column in self._own:
            column.append(0)
        return len(self._name) - 1

    def add_own(self, function: int, costs: Sequence[int], line: int = 0) -> None:
        for column, cost in zip(self._own, costs, strict=False):
            column[function] += cost
        if line and not 0 < self._line[function] <= line:
            self._line[function] = line

    def add_call(self, caller: int, callee: int, n_calls: int, costs: Sequence[int]) -> None:
        self._caller.append(caller)
        self._callee.append(callee)
        self._n_calls.append(n_calls)
        for number, column in enumerate(self._caused):
            column.append(costs[number] if number < len(costs) else 0)

    def build(self) -> FunctionCosts:
        return FunctionCosts(
            name=self._name,
            file=self._file,
            line=np.array(self._line, np.int32),
            own=np.array([*self._own], np.int64),
            caller=np.array(self._caller, np.int32),
            callee=np.array(self._callee, np.int32),
            n_calls=np.array(self._n_calls, np.int64),
            caused=np.array([*self._caused], np.int64),
        )


class _Names:
    """The names in force while a file is read. One thread."""

    def __init__(self, add_function: Callable[[str, str], int]) -> None:
        """``add_function``: returns a number for a function's name and file."""
        self._add_function = add_function
        self._by_number: dict[str, dict[int, str]] = {kind: {} for kind in set(_KINDS.values())}
        # By object and file, because keys of three parts would take twice the memory.
        self._functions: dict[tuple[str, str], dict[str, int]] = {}
        self._object = self._file = self._own_file = ""
        self._called_object: str | None = None
        self._called_file: str | None = None
        self._function = self._callee = _NONE

    @property
    def function(self) -> int:
        """Return the function of the current lines. Raises ValueError if there is none."""
        if self._function == _NONE:
            raise ValueError('has costs, but no line above names their function ("fn=…")')
        return self._function

    @property
    def is_in_own_file(self) -> bool:
        """Whether lines belong to the function's own file, not to an inlined function's."""
        return self._file == self._own_file

    @property
    def callee(self) -> int:
        """Return the function that the last ``cfn`` named. Raises ValueError if there is none."""
        if self._callee == _NONE:
            raise ValueError('counts calls, but no line above names the called function ("cfn=…")')
        return self._callee

    def read(self, key: bytes, value: bytes) -> None:
        """Read a line ``key=value``. Raises ValueError."""
        name = self._resolve(_KINDS[key], value)
        if key == b"ob":
            self._object = name
        elif key in (b"fl", b"fi", b"fe"):
            self._file = name
            if key == b"fl":
                self._own_file = name
        elif key == b"fn":
            self._own_file = self._file
            self._function = self._find(self._object, self._file, name)
            self._callee = _NONE
        elif key == b"cob":
            self._called_object = name
        elif key in (b"cfi", b"cfl"):
            self._called_file = name
        elif key == b"cfn":
            of_object = self._object if self._called_object is None else self._called_object
            file = self._file if self._called_file is None else self._called_file
            self._callee = self._find(of_object, file, name)
            self._called_object = self._called_file = None

    def _resolve(self, kind: str, value: bytes) -> str:
        found = _NUMBERED.fullmatch(value)
        if found is None:
            return value.decode(errors="replace")
        number, name = int(found[1]), found[2]
        names = self._by_number[kind]
        if name:
            names[number] = name.decode(errors="replace")
        elif number not in names:
            raise ValueError(
                f"has a number in brackets for {_ARTICLE[kind]} {kind} that no line above names"
            )
        return names[number]

    def _find(self, of_object: str, file: str, name: str) -> int:
        numbers = self._functions.setdefault((of_object, file), {})
        if name not in numbers:
            place = of_object if file in _UNKNOWN else file
            bare = _split_place(name, file)
            numbers[name] = self._add_function(bare, "" if place in _UNKNOWN else place)
        return numbers[name]


def _split_place(name: str, file: str) -> str:
    """Return the name without ``file:line`` at its end, which yappi writes."""
    bare, is_placed, place = name.rpartition(" ")
    found_file, _, line = place.rpartition(":")
    return bare if is_placed and file and found_file == file and line.isdigit() else name


def _parse(text: bytes) -> int:
    """Return a cost. Raises ValueError."""
    if text == b".":  # cachegrind writes it for costs that do not apply
        return 0
    if not _NUMBER.fullmatch(text):
        raise ValueError("has a cost that is not a number")
    return int(text, 16 if b"x" in text else 10)
