"""Split debug information: units whose entries are in a separate file, ``.dwo``, or in a package of
such files, ``.dwp``.

::

    file      unit: id, addresses, lines ──▶ NAME.dwo   one unit of the same id
                                        └──▶ FILE.dwp   index: id ─▶ its part of each section

Entries in the separate file refer to addresses, and before DWARF 5 to ranges, of the first file.
"""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Iterator

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf.abbreviations import AbbreviationCache
from stackglass.symbols.dwarf.encoding import read_number
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.sections import DebugSections
from stackglass.symbols.dwarf.unit import Unit, list_units
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.open_file import OpenFile

_INDEX = ".debug_cu_index"
_MOVED = (".debug_info", ".debug_abbrev", ".debug_str_offsets", ".debug_rnglists", ".debug_str")
# Sections by their number in an index, for DWARF 5 and for GNU's older packages.
_NUMBERED = {
    5: {1: ".debug_info", 3: ".debug_abbrev", 6: ".debug_str_offsets", 8: ".debug_rnglists"},
    2: {1: ".debug_info", 3: ".debug_abbrev", 6: ".debug_str_offsets"},
}
_HEAD_BYTES, _CELL_BYTES = 16, 4
_ID = struct.Struct("<Q")
_MAX_COLUMNS, _MAX_SLOTS = 16, 1 << 22
_MAX_UNITS = 4096  # of one .dwo file


class _Part(NamedTuple):
    offset: int
    size: int


class SplitSections(DebugSections):
    """The sections that a split unit refers to, by their names in a file that is not split: some
    are in the unit's own file, the others in the first file."""

    __slots__ = ("_first", "_own", "_parts")

    def __init__(
        self, own: DebugSections, first: DebugSections, parts: dict[str, _Part] | None = None
    ) -> None:
        """``parts`` are the unit's parts of sections that the units of a package share."""
        super().__init__(own.elf)
        self._own, self._first, self._parts = own, first, parts or {}

    def size(self, name: str) -> int:
        """Return the unpacked size in bytes; 0 = there is no such section."""
        if name not in _MOVED:
            return self._first.size(name)
        part = self._parts.get(name)
        return part.size if part else self._own.size(f"{name}.dwo")

    def read(self, name: str, offset: int, size: int) -> bytes:
        """Return as many bytes as there are, at most ``size``."""
        if name not in _MOVED:
            return self._first.read(name, offset, size)
        part = self._parts.get(name)
        if part is None:
            return self._own.read(f"{name}.dwo", offset, size)
        size = min(size, part.size - offset)
        return self._own.read(f"{name}.dwo", part.offset + offset, size) if offset >= 0 else b""


class SplitFiles:
    """Finds the split units of one file. For one thread."""

    def __init__(self, sections: DebugSections, path: str, root: str = "") -> None:
        """``path`` is that of the first file. ``root`` is the process's root folder, where files
        are searched before this process's own root folder."""
        self._sections, self._path, self._root = sections, path, root
        self._package: DebugSections | None = None
        self._is_searched = False

    def open(self, skeleton: Unit) -> Unit | None:
        """Return the unit with the entries of ``skeleton``; None = its file does not exist, or is
        of another build. Raises DwarfError, IndexError, ValueError."""
        wanted = skeleton.split_id
        for sections in self._list_candidates(skeleton, wanted):
            for head in list_units(sections, _MAX_UNITS):
                if head.has_code and (not head.split_id or head.split_id == wanted):
                    unit = Unit(sections, head, AbbreviationCache(sections), skeleton)
                    if unit.split_id == wanted:
                        return unit
        return None

    def _list_candidates(self, skeleton: Unit, wanted: int) -> Iterator[SplitSections]:
        package = self._open_package()
        parts = _find_parts(package, wanted) if package else None
        if package and parts:
            yield SplitSections(package, self._sections, parts)
        name = skeleton.split_name
        path = posixpath.join(skeleton.folder, name)
        beside = posixpath.join(posixpath.dirname(self._path), posixpath.basename(name))
        for candidate in (self._root + path, path, beside):
            found = _open(candidate)
            if found:
                yield SplitSections(found, self._sections)

    def _open_package(self) -> DebugSections | None:
        if not self._is_searched:
            self._is_searched = True
            self._package = _open(f"{self._path}.dwp")
        return self._package


def _open(path: str) -> DebugSections | None:
    """Open the file at ``path``; None = it does not exist, or is no ELF file."""
    try:
        return DebugSections(ElfFile(OpenFile(path).read))
    except (OSError, ElfFileError, ValueError):
        return None


def _find_parts(sections: DebugSections, wanted: int) -> dict[str, _Part]:
    """Return a unit's part of each section of a package; {} = the package lacks the unit. The index
    of a package::

        version, columns, units, slots │ ids, hashed │ rows │ columns' numbers, offsets │ sizes
    """
    head = sections.read(_INDEX, 0, _HEAD_BYTES)
    if not head:
        return {}
    version = read_number(head, 0, 2)
    columns, n_units, slots = (read_number(head, at, 4) for at in (4, 8, 12))
    if version not in _NUMBERED or columns > _MAX_COLUMNS or not n_units <= slots <= _MAX_SLOTS:
        raise DwarfError("the index of its package (.dwp) is not valid")
    rows_at = _HEAD_BYTES + slots * _ID.size
    ids = sections.read(_INDEX, _HEAD_BYTES, slots * _ID.size)
    slot = next((at for at, each in enumerate(_ID.iter_unpack(ids)) if each[0] == wanted), -1)
    cell = sections.read(_INDEX, rows_at + slot * _CELL_BYTES, _CELL_BYTES)
    row = read_number(cell, 0, _CELL_BYTES) if slot >= 0 else 0
    if not 0 < row <= n_units:
        return {}
    table, width = rows_at + slots * _CELL_BYTES, columns * _CELL_BYTES
    numbers = sections.read(_INDEX, table, width)
    offsets = sections.read(_INDEX, table + row * width, width)
    sizes = sections.read(_INDEX, table + (n_units + row) * width, width)
    parts = {}
    for at in range(0, width, _CELL_BYTES):
        name = _NUMBERED[version].get(read_number(numbers, at, _CELL_BYTES))
        if name:
            parts[name] = _Part(*(read_number(each, at, _CELL_BYTES) for each in (offsets, sizes)))
    return parts
