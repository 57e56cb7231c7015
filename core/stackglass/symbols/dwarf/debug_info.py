"""Debug information of one file: the source lines and inlined calls of an address.

A unit is read when one of its addresses is looked up, and only its line table and functions are
read. The units used last are kept.
"""

from __future__ import annotations

import struct
import time
from array import array
from bisect import bisect_right
from collections import OrderedDict
from typing import Callable

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf import encoding
from stackglass.symbols.dwarf import unit as units
from stackglass.symbols.dwarf.abbreviations import AbbreviationCache
from stackglass.symbols.dwarf.encoding import Value
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.functions import FunctionTable
from stackglass.symbols.dwarf.line_header import read_program
from stackglass.symbols.dwarf.line_table import LineTable
from stackglass.symbols.dwarf.ranges import read_ranges
from stackglass.symbols.dwarf.sections import DebugSections
from stackglass.symbols.dwarf.split import SplitFiles
from stackglass.symbols.dwarf.unit import INFO, Unit, UnitHead, list_units
from stackglass.symbols.elf_file import ElfFile, ElfFileError

_MAX_UNITS = 200_000
_KEPT_UNITS = 32
_KEPT_UNIT_BYTES = 64 << 20
_MAX_REFERENCES = 16
_MAX_SECONDS = 30.0
_FAULTS = (DwarfError, ElfFileError, IndexError, ValueError, OverflowError, struct.error)


class SourceFrame(NamedTuple):
    """A function at an address: the compiled function, or one that was inlined into it."""

    symbol: str  # as the linker knows it, or as in the source; "" = unknown
    file: str  # "" = unknown
    line: int  # 0 = unknown
    start_line: int  # where the function is declared; 0 = unknown


class _Loaded(NamedTuple):
    unit: Unit
    functions: FunctionTable
    lines: LineTable | None


class DebugInfo:
    """Finds the functions at an address, and reads units when it needs them. For one thread.

    ``problem`` says why information is missing; "" = no reason is known.
    """

    def __init__(
        self,
        elf: ElfFile,
        alternative: ElfFile | None = None,
        clock: Callable[[], float] = time.monotonic,
        path: str = "",
        root: str = "",
    ) -> None:
        """``alternative``: the file with parts that several files share (``.gnu_debugaltlink``).

        ``path`` of the file, and ``root`` folder of the process: where ``.dwo`` files are searched.
        """
        self.problem = ""
        self.missing = ""  # a .dwo file, with inlined calls, that was not found
        self._sections = DebugSections(elf)
        self._split = SplitFiles(self._sections, path, root)
        self._clock = clock
        self._left_seconds = _MAX_SECONDS
        self._tables = AbbreviationCache(self._sections)
        self._heads: list[UnitHead] = []
        self._offsets: list[int] = []
        self._starts, self._ends, self._owners = array("Q"), array("Q"), array("L")
        self._is_indexed = False
        self._loaded: OrderedDict[int, _Loaded] = OrderedDict()
        self._plain: OrderedDict[int, Unit] = OrderedDict()  # for names alone
        self._alternative = DebugInfo(alternative, None, clock) if alternative else None

    def find(self, address: int) -> list[SourceFrame]:
        """Return the functions at an address, as linked: the innermost inlined call first, the
        function that was compiled last; [] = unknown."""
        if self._left_seconds <= 0:
            return []
        start = self._clock()
        try:
            return self._find(address)
        except _FAULTS as error:
            self.problem = self.problem or _explain(error)
            return []
        finally:
            self._left_seconds -= self._clock() - start
            if self._left_seconds <= 0:
                self.problem = self.problem or "reading it takes too long"

    def _find(self, address: int) -> list[SourceFrame]:
        self._index()
        row = bisect_right(self._starts, address) - 1
        if row < 0 or address >= self._ends[row]:
            return []
        opened = self._load(self._owners[row])
        lines = opened.lines
        file, line = lines.find(address) if lines else ("", 0)
        frames = []
        for call in opened.functions.list_calls(address):
            symbol, start_line = self._name(opened.unit, call.attributes)
            frames.append(SourceFrame(symbol, file, line, start_line))
            where = call.attributes.get(units.CALLED_FILE), call.attributes.get(units.CALLED_LINE)
            file = lines.name_file(where[0].number) if lines and where[0] else ""
            line = where[1].number if where[1] else 0
        return frames or ([SourceFrame("", file, line, 0)] if line else [])

    def _index(self) -> None:
        """Build the table of address ranges and their units, at the first call."""
        if self._is_indexed:
            return
        self._is_indexed = True
        self._heads = list_units(self._sections, _MAX_UNITS)
        self._offsets = [head.offset for head in self._heads]
        limit = self._clock() + self._left_seconds
        rows: list[tuple[int, int, int]] = []
        for number, head in enumerate(self._heads):
            if not head.has_code:
                continue
            if self._clock() > limit:
                break
            try:
                unit = Unit(self._sections, head, self._tables)
                rows += [(*pair, number) for pair in read_ranges(unit, unit.root)]
            except _FAULTS as error:
                self.problem = self.problem or _explain(error)
        rows.sort()
        self._starts.extend(row[0] for row in rows)
        self._ends.extend(row[1] for row in rows)
        self._owners.extend(row[2] for row in rows)

    def _load(self, number: int) -> _Loaded:
        if number not in self._loaded:
            self._loaded[number] = self._read(self._heads[number])
            while len(self._loaded) > 1 and (
                len(self._loaded) > _KEPT_UNITS
                or sum(len(each.unit.data) for each in self._loaded.values()) > _KEPT_UNIT_BYTES
            ):
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(number)
        return self._loaded[number]

    def _read(self, head: UnitHead) -> _Loaded:
        unit = Unit(self._sections, head, self._tables)
        offset = unit.root.get(units.LINES)
        lines = None
        if offset is not None:
            lines = LineTable(*read_program(self._sections, offset.number, unit.folder))
        if unit.is_split:
            return self._read_split(unit, lines)
        return _Loaded(unit, FunctionTable(unit), lines)

    def _read_split(self, skeleton: Unit, lines: LineTable | None) -> _Loaded:
        """Read the functions from the unit's ``.dwo`` file. If that fails, the lines remain."""
        try:
            unit = self._split.open(skeleton)
            if unit is not None:
                return _Loaded(unit, FunctionTable(unit), lines)
            self.missing = self.missing or skeleton.split_name
        except _FAULTS as error:
            self.problem = self.problem or f"{_explain(error)} ({skeleton.split_name})"
        return _Loaded(skeleton, FunctionTable(skeleton), lines)

    def _name(self, unit: Unit, attributes: dict[int, Value]) -> tuple[str, int]:
        """Return symbol and first line of a function, from the entries that it refers to."""
        owner: DebugInfo = self
        symbol, name, line = "", "", 0
        for _ in range(_MAX_REFERENCES):
            linked = attributes.get(units.LINKAGE_NAME) or attributes.get(units.MIPS_LINKAGE_NAME)
            symbol = symbol or owner._read_text(unit, linked)
            name = name or owner._read_text(unit, attributes.get(units.NAME))
            declared = attributes.get(units.DECLARED_LINE)
            line = line or (declared.number if declared else 0)
            next_one = attributes.get(units.ORIGIN) or attributes.get(units.SPECIFICATION)
            if next_one is None:
                break
            found = owner._follow(unit, next_one)
            if found is None:
                break
            owner, unit, attributes = found
        return symbol or name, line

    def _read_text(self, unit: Unit, value: Value | None) -> str:
        if value is not None and value.kind == encoding.ALT_TEXT:
            other = self._alternative
            return other._sections.read_text(".debug_str", value.number) if other else ""
        return unit.read_text(value)

    def _follow(
        self, unit: Unit, reference: Value
    ) -> tuple[DebugInfo, Unit, dict[int, Value]] | None:
        """Return the entry to which another one refers; None = it is in a file that is missing."""
        if reference.kind == encoding.UNIT_REFERENCE:
            unit.load()
            return self, unit, _read_entry(unit, reference.number)
        if reference.kind == encoding.REFERENCE and unit.sections is self._sections:
            return self._find_entry(reference.number)
        if reference.kind == encoding.ALT_REFERENCE and self._alternative is not None:
            self._alternative._index()
            return self._alternative._find_entry(reference.number)
        return None

    def _find_entry(self, offset: int) -> tuple[DebugInfo, Unit, dict[int, Value]]:
        number = bisect_right(self._offsets, offset) - 1
        if number < 0 or offset >= self._heads[number].end:
            raise DwarfError("an entry refers to a missing entry")
        if number not in self._plain:
            while len(self._plain) >= _KEPT_UNITS:
                self._plain.popitem(last=False)
            opened = self._loaded.get(number)
            head = self._heads[number]
            unit = opened.unit if opened else Unit(self._sections, head, self._tables)
            unit.load()
            self._plain[number] = unit
        unit = self._plain[number]
        return self, unit, _read_entry(unit, offset - unit.head.offset)


def _explain(error: Exception) -> str:
    return str(error) if isinstance(error, DwarfError) else "it is damaged"


def _read_entry(unit: Unit, at: int) -> dict[int, Value]:
    entry, at = unit.find_entry(at)
    if entry is None:
        raise DwarfError("an entry refers to a missing entry")
    return unit.read_attributes(entry, at)[0]


def has_debug_info(elf: ElfFile) -> bool:
    """Return whether a file has debug information."""
    return elf.find_section(INFO) is not None and elf.find_section(".debug_line") is not None
