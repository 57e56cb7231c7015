"""Functions of a unit, and the calls that were inlined into them."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf import unit as units
from stackglass.symbols.dwarf.encoding import Value
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.ranges import Ranges, read_ranges
from stackglass.symbols.dwarf.unit import Unit

_SUBPROGRAM, _INLINED, _LEXICAL_BLOCK = 0x2E, 0x1D, 0x0B
_PLACES = (units.LOW_PC, units.RANGES)
_NAMESPACES = (0x39, 0x1E)
_CLASSES = (0x02, 0x13, 0x17)
_C_LANGUAGES = (0x01, 0x02, 0x0C, 0x1D, 0x2C)
_MAX_CALLS = 200_000
_MAX_CHAIN = 64
_MAX_RANGES = 2_000_000  # of all functions of a unit, and of all calls in a function
_MAX_PIECES = 20_000_000
_NO_CALL = -1


class Call(NamedTuple):
    """An inlined call, or the function that contains all inlined calls."""

    attributes: dict[int, Value]
    caller: int  # index of the call that contains it; -1 = it is the function


class Function:
    """A function with machine code. Immutable."""

    __slots__ = ("_borders", "_innermost", "calls")

    def __init__(self, calls: list[Call], ranges: list[Ranges]) -> None:
        """``calls`` and ``ranges`` are parallel. Callers come first, and have wider ranges."""
        self.calls = calls
        borders = sorted({border for each in ranges for pair in each for border in pair})
        self._borders = array("Q", borders)
        self._innermost = array("l", [_NO_CALL]) * len(borders)
        n_pieces = 0
        for call, each in enumerate(ranges):
            for start, end in each:
                first, last = bisect_right(borders, start) - 1, bisect_right(borders, end) - 1
                n_pieces += last - first
                if n_pieces > _MAX_PIECES:
                    raise DwarfError("it has too many inlined calls")
                self._innermost[first:last] = array("l", [call]) * (last - first)

    def list_calls(self, address: int) -> list[Call]:
        """Return the calls that contain an address: the innermost first, the function last."""
        at = bisect_right(self._borders, address) - 1
        call = self._innermost[at] if at >= 0 else _NO_CALL
        found: list[Call] = []
        while call != _NO_CALL:
            if len(found) >= _MAX_CHAIN:
                raise DwarfError("its inlined calls are too deep")
            found.append(self.calls[call])
            call = self.calls[call].caller
        return found


class FunctionTable:
    """The functions of a unit by address. A function's inlined calls are read at its first
    lookup."""

    __slots__ = ("_functions", "_rows", "_starts", "_unit")

    def __init__(self, unit: Unit) -> None:
        """Raises DwarfError, IndexError, ValueError."""
        unit.load()
        self._unit = unit
        self._rows = sorted(_scan(unit))
        self._starts = [row[0] for row in self._rows]
        self._functions: dict[int, Function] = {}

    def list_calls(self, address: int) -> list[Call]:
        """Return the calls that contain an address: the innermost first, the function last; [] =
        unknown. Raises DwarfError, IndexError, ValueError."""
        row = bisect_right(self._starts, address) - 1
        if row < 0 or address >= self._rows[row][1]:
            return []
        entry = self._rows[row][2]
        if entry not in self._functions:
            self._functions[entry] = _read_function(self._unit, entry)
        return self._functions[entry].list_calls(address)


def _scan(unit: Unit) -> list[tuple[int, int, int]]:
    """Return start, end and entry of each function with code."""
    rows: list[tuple[int, int, int]] = []
    language = unit.root.get(units.LANGUAGE)
    is_c = language is not None and language.number in _C_LANGUAGES
    # In other languages a lambda, or a method of a local class, is inside another function.
    scopes = _NAMESPACES if is_c else (*_NAMESPACES, *_CLASSES, _SUBPROGRAM, _LEXICAL_BLOCK)
    entry, at = unit.find_entry(unit.first)
    if entry is None or not entry.has_children:
        return rows
    at, depth, end = unit.skip(entry, at), 1, len(unit.data)
    while depth and at < end:
        start = at
        entry, at = unit.find_entry(at)
        if entry is None:
            depth -= 1
            continue
        if entry.tag == _SUBPROGRAM and any(each[0] in _PLACES for each in entry.attributes):
            attributes, _ = unit.read_attributes(entry, at)
            rows += [(*pair, start) for pair in read_ranges(unit, attributes)]
            if len(rows) > _MAX_RANGES:
                raise DwarfError("its functions have too many ranges")
        if entry.has_children and entry.tag in scopes:
            at = unit.skip(entry, at)
            depth += 1
        else:
            at = unit.skip_tree(entry, at)
    return rows


def _read_function(unit: Unit, at: int) -> Function:
    entry, at = unit.find_entry(at)
    if entry is None:
        raise DwarfError("a function has no entry")
    attributes, at = unit.read_attributes(entry, at)
    calls, ranges = [Call(attributes, _NO_CALL)], [read_ranges(unit, attributes)]
    n_ranges = len(ranges[0])
    around = [0] if entry.has_children else []  # by open level: the call that contains it
    while around:
        entry, at = unit.find_entry(at)
        if entry is None:
            around.pop()
        elif entry.tag == _INLINED:
            attributes, at = unit.read_attributes(entry, at)
            calls.append(Call(attributes, around[-1]))
            ranges.append(read_ranges(unit, attributes))
            n_ranges += len(ranges[-1])
            if len(calls) > _MAX_CALLS or n_ranges > _MAX_RANGES:
                raise DwarfError("it has too many inlined calls")
            if entry.has_children:
                around.append(len(calls) - 1)
        elif entry.tag == _LEXICAL_BLOCK and entry.has_children:
            at = unit.skip(entry, at)
            around.append(around[-1])
        else:
            at = unit.skip_tree(entry, at)
    return Function(calls, ranges)
