"""Unit of DWARF: the entries of one compiled source file, or entries that several units share."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf import encoding
from stackglass.symbols.dwarf.abbreviations import AbbreviationCache
from stackglass.symbols.dwarf.encoding import (
    Abbreviation,
    Value,
    read_number,
    read_unsigned,
    read_value,
    skip_values,
)
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.sections import DebugSections

INFO = ".debug_info"
_MAX_BYTES = 128 << 20
_HEAD_BYTES = 64
_IS_WIDE = 0xFFFFFFFF
_COMPILE, _TYPE, _PARTIAL, _SKELETON, _SPLIT_COMPILE, _SPLIT_TYPE = range(1, 7)

NAME, LINES, LOW_PC, HIGH_PC, LANGUAGE, FOLDER = 0x03, 0x10, 0x11, 0x12, 0x13, 0x1B
ORIGIN, DECLARED_LINE, SPECIFICATION = 0x31, 0x3B, 0x47
RANGES, CALLED_FILE, CALLED_LINE, LINKAGE_NAME = 0x55, 0x58, 0x59, 0x6E
TEXT_BASE, ADDRESS_BASE, RANGES_BASE, MIPS_LINKAGE_NAME = 0x72, 0x73, 0x74, 0x2007
SPLIT_NAME, _GNU_SPLIT_NAME, _GNU_SPLIT_ID = 0x76, 0x2130, 0x2131
_GNU_ADDRESS_BASE, _GNU_RANGES_BASE = 0x2133, 0x2132
_SHARED = (LOW_PC, LINES, FOLDER)  # attributes that only the first half has


class UnitHead(NamedTuple):
    """Where a unit is, and how it is encoded. Offsets are in ``.debug_info``."""

    offset: int
    end: int
    entries: int  # the first entry
    version: int
    offset_bytes: int
    abbreviations: int
    has_code: bool  # units of types, and units that others import, have none
    split_id: int  # common to both halves (DWARF 5); 0 = none, or the first entry has it


def list_units(sections: DebugSections, most: int) -> list[UnitHead]:
    """Return the units in the order of the file. Raises DwarfError."""
    units: list[UnitHead] = []
    offset, size = 0, sections.size(INFO)
    while offset + 11 < size:
        if len(units) >= most:
            raise DwarfError("it has too many units")
        units.append(_read_head(sections.read(INFO, offset, _HEAD_BYTES), offset))
        offset = units[-1].end
    return units


def _read_head(data: bytes, offset: int) -> UnitHead:
    wide = read_number(data, 0, 4) == _IS_WIDE
    at, width = (12, 8) if wide else (4, 4)
    size = read_number(data, at - width, width)
    if size > 1 << 40:
        raise DwarfError("a unit is too large")
    end = offset + at + size
    version = read_number(data, at, 2)
    at += 2
    kind, address_bytes, split_id = _COMPILE, 8, 0
    if version == 5:
        kind, address_bytes = data[at], data[at + 1]
        abbreviations = read_number(data, at + 2, width)
        at += 2 + width
        if kind in (_SKELETON, _SPLIT_COMPILE):
            split_id = read_number(data, at, 8)
            at += 8
        at += 8 + width if kind in (_TYPE, _SPLIT_TYPE) else 0
    else:
        abbreviations = read_number(data, at, width)
        address_bytes = data[at + width]
        at += width + 1
    if not 2 <= version <= 5:
        raise DwarfError(f"it is of version {version}, which is not read")
    if address_bytes != 8:
        raise DwarfError("its addresses do not have 64 bits")
    is_whole = kind in (_COMPILE, _SKELETON, _SPLIT_COMPILE)
    return UnitHead(offset, end, offset + at, version, width, abbreviations, is_whole, split_id)


class Unit:
    """The entries of a unit. Positions are offsets from its beginning.

    All methods raise DwarfError, IndexError and ValueError for damaged data.
    """

    __slots__ = ("_abbreviations", "_bases", "_skeleton", "data", "head", "root", "sections")

    def __init__(
        self,
        sections: DebugSections,
        head: UnitHead,
        tables: AbbreviationCache,
        skeleton: Unit | None = None,
    ) -> None:
        """``tables`` are those of the same file. ``skeleton`` is the first half of a split unit, if
        this is the second half."""
        if head.end - head.offset > _MAX_BYTES:
            raise DwarfError("a unit is too large")
        self.sections, self.head = sections, head
        self._abbreviations = tables.read(head.abbreviations, head.offset_bytes)
        self.data = b""
        self._skeleton = skeleton
        self._bases = {TEXT_BASE: 8, ADDRESS_BASE: 8, RANGES_BASE: 12}
        if skeleton is not None:
            self._bases[ADDRESS_BASE] = skeleton._bases[ADDRESS_BASE]
            if head.version < 5:
                ranges = skeleton.root.get(_GNU_RANGES_BASE)
                self._bases.update({TEXT_BASE: 0, RANGES_BASE: ranges.number if ranges else 0})
        self.root: dict[int, Value] = self._read_root()

    def load(self) -> None:
        """Read all entries; before, only the first one is there."""
        size = self.head.end - self.head.offset
        if len(self.data) < size:
            self.data = self.sections.read(INFO, self.head.offset, size)

    @property
    def first(self) -> int:
        """Position of the first entry."""
        return self.head.entries - self.head.offset

    def _read_root(self) -> dict[int, Value]:
        """Return the attributes of the first entry. Reads only the beginning of the unit."""
        size = min(self.head.end - self.head.offset, 4096)
        self.data = self.sections.read(INFO, self.head.offset, size)
        entry, at = self.find_entry(self.first)
        if entry is None:
            return {}
        root, _ = self.read_attributes(entry, at)
        for name, old in (
            (TEXT_BASE, TEXT_BASE),
            (ADDRESS_BASE, _GNU_ADDRESS_BASE),
            (RANGES_BASE, _GNU_RANGES_BASE),
        ):
            value = root.get(name) or root.get(old)
            if value is not None:
                self._bases[name] = value.number
        if self._skeleton is not None:
            root.update(
                (at, self._skeleton.root[at]) for at in _SHARED if at in self._skeleton.root
            )
        return root

    @property
    def is_split(self) -> bool:
        """Whether the entries are in a separate file."""
        return self._skeleton is None and bool(self.split_name)

    @property
    def split_name(self) -> str:
        """The name of the separate file; "" = there is none."""
        return self.read_text(self.root.get(SPLIT_NAME) or self.root.get(_GNU_SPLIT_NAME))

    @property
    def split_id(self) -> int:
        """The id that both halves of a split unit have; 0 = none."""
        given = self.root.get(_GNU_SPLIT_ID)
        return self.head.split_id or (given.number if given else 0)

    @property
    def folder(self) -> str:
        """The folder in which the unit was compiled; "" = unknown."""
        return self.read_text(self.root.get(FOLDER))

    def find_entry(self, at: int) -> tuple[Abbreviation | None, int]:
        """Return the entry at a position, and where its values begin; None = the end of
        siblings."""
        code, at = read_unsigned(self.data, at)
        if not code:
            return None, at
        entry = self._abbreviations.get(code)
        if entry is None:
            raise DwarfError("an entry has no abbreviation")
        return entry, at

    def read_attributes(self, entry: Abbreviation, at: int) -> tuple[dict[int, Value], int]:
        """Return all values of an entry, and where they end."""
        found, width = {}, self.head.offset_bytes
        for attribute, form, constant in entry.attributes:
            found[attribute], at = read_value(form, constant, self.data, at, width)
        return found, at

    def skip(self, entry: Abbreviation, at: int) -> int:
        """Return where the entry's values end and its children, or the next entry, begin."""
        return skip_values(entry.sizes, self.data, at)

    def skip_tree(self, entry: Abbreviation, at: int) -> int:
        """Return where the entry with its children ends."""
        if not entry.has_children:
            return self.skip(entry, at)
        if entry.sibling >= 0:
            width = self.head.offset_bytes
            for _, form, constant in entry.attributes[: entry.sibling + 1]:
                value, after = read_value(form, constant, self.data, at, width)
                at = after
            if value.kind == encoding.UNIT_REFERENCE and value.number > at:
                return value.number
            raise DwarfError("an entry has no valid sibling")
        return self.skip_children(self.skip(entry, at))

    def skip_children(self, at: int) -> int:
        """Return where the siblings that begin at ``at`` end."""
        depth = 1
        while depth:
            entry, at = self.find_entry(at)
            if entry is None:
                depth -= 1
            elif entry.sibling >= 0 and entry.has_children:
                at = self.skip_tree(entry, at)
            else:
                at = self.skip(entry, at)
                depth += entry.has_children
        return at

    def read_address(self, value: Value) -> int:
        """Return the address that a value stands for."""
        if value.kind != encoding.ADDRESS_INDEX:
            return value.number
        offset = self._bases[ADDRESS_BASE] + 8 * value.number
        return read_number(self.sections.read(".debug_addr", offset, 8), 0, 8)

    def read_address_index(self, number: int) -> int:
        """Return an address of ``.debug_addr``."""
        return self.read_address(Value(encoding.ADDRESS_INDEX, number, ""))

    def find_range_list(self, value: Value) -> int:
        """Return where a list of ranges begins in its section."""
        if value.kind != encoding.RANGES_INDEX:
            is_moved = self._skeleton is not None and self.head.version < 5
            return value.number + (self._bases[RANGES_BASE] if is_moved else 0)
        base, width = self._bases[RANGES_BASE], self.head.offset_bytes
        content = self.sections.read(".debug_rnglists", base + width * value.number, width)
        return base + read_number(content, 0, width)

    def read_text(self, value: Value | None) -> str:
        """Return the text that a value stands for; "" = none, or in another file."""
        if value is None:
            return ""
        if value.kind == encoding.TEXT_OFFSET:
            return self.sections.read_text(".debug_str", value.number)
        if value.kind == encoding.LINE_TEXT:
            return self.sections.read_text(".debug_line_str", value.number)
        if value.kind == encoding.TEXT_INDEX:
            width = self.head.offset_bytes
            offset = self._bases[TEXT_BASE] + width * value.number
            content = self.sections.read(".debug_str_offsets", offset, width)
            return self.sections.read_text(".debug_str", read_number(content, 0, width))
        return value.text
