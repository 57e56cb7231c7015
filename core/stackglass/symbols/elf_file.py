"""Headers and sections of an ELF file, read piece by piece. Every number in it may be wrong."""

from __future__ import annotations

import struct
from typing import Callable

from stackglass.named_tuple import NamedTuple

Read = Callable[[int, int], bytes]
"""(offset, size) → as many bytes as there are, at most size."""

_MAGIC = b"\x7fELF\x02\x01"  # 64-bit, little-endian
# type, phoff, shoff, phentsize, phnum, shentsize, shnum, shstrndx
_HEADER = struct.Struct("<16xH14xQQ6xHHHHH")
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_NOTE = struct.Struct("<III")
_ET_REL = 1
_PT_NOTE = 4
_GNU_BUILD_ID = 3
_MAX_SECTIONS = 4096
_MAX_PROGRAM_HEADERS = 512
_MAX_NOTE_BYTES = 1 << 16
_MAX_NAMES_BYTES = 1 << 20
_FNV_START, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


class ElfFileError(Exception):
    """The bytes are no readable ELF file. Never leaves this package."""


class Section(NamedTuple):
    """A row of the section headers."""

    name: str
    kind: int  # SHT_*
    offset: int
    size: int
    link: int  # number of another section
    flags: int  # SHF_*
    address: int  # as linked


class ElfFile:
    """A 64-bit, little-endian ELF file. Raises ElfFileError if the bytes are no such file."""

    __slots__ = ("_notes", "headers_hash", "is_relocatable", "read", "sections")

    def __init__(self, read: Read) -> None:
        self.read = read
        head = read(0, 64)
        if head[:6] != _MAGIC:
            raise ElfFileError("not a 64-bit little-endian ELF file")
        fields = _unpack(_HEADER, head)
        kind, at, sections_at, size, count, section_size, n_sections, names_number = fields
        self.is_relocatable = kind == _ET_REL
        if count > _MAX_PROGRAM_HEADERS or (count and size != _PROGRAM_HEADER.size):
            raise ElfFileError("the program headers are not valid")
        table = self.read_whole(at, size * count)
        self.headers_hash = hash_fnv(table)
        headers = _PROGRAM_HEADER.iter_unpack(table)
        self._notes = [(header[2], header[5]) for header in headers if header[0] == _PT_NOTE]
        if n_sections > _MAX_SECTIONS or (n_sections and section_size != _SECTION_HEADER.size):
            raise ElfFileError("the section headers are not valid")
        self.sections = self._read_sections(sections_at, n_sections, names_number)

    def read_whole(self, offset: int, size: int) -> bytes:
        """Return exactly ``size`` bytes. Raises ElfFileError if the file is too short."""
        content = self.read(offset, size) if size else b""
        if len(content) != size:
            raise ElfFileError("the file is truncated")
        return content

    def find_section(self, name: str) -> Section | None:
        """Return the first section of this name that has bytes in the file."""
        return next((s for s in self.sections if s.name == name and s.kind != 8), None)

    @property
    def build_id(self) -> str:
        """The build id in hexadecimal; "" = the file has none."""
        for offset, size in self._notes:
            found = _find_build_id(self.read(offset, min(size, _MAX_NOTE_BYTES)))
            if found:
                return found
        section = self.find_section(".note.gnu.build-id")
        if section is None:
            return ""
        return _find_build_id(self.read(section.offset, min(section.size, _MAX_NOTE_BYTES)))

    @property
    def identity(self) -> str:
        """The text by which an engine names this file."""
        return self.build_id or f"headers-{self.headers_hash:016x}"

    def _read_sections(self, offset: int, count: int, names_number: int) -> list[Section]:
        table = self.read_whole(offset, _SECTION_HEADER.size * count)
        rows = list(_SECTION_HEADER.iter_unpack(table))
        names = b""
        if names_number < len(rows):
            row = rows[names_number]
            names = self.read(row[4], min(row[5], _MAX_NAMES_BYTES))
        return [Section(read_text(names, r[0]), r[1], r[4], r[5], r[6], r[2], r[3]) for r in rows]


def read_text(texts: bytes, offset: int) -> str:
    """Return the NUL-terminated text at an offset; "" if there is none."""
    end = texts.find(b"\0", offset)
    return texts[offset:end].decode("utf-8", "replace") if end >= offset else ""


def hash_fnv(content: bytes) -> int:
    """Return the 64-bit FNV-1a hash."""
    value = _FNV_START
    for byte in content:
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value


def _find_build_id(notes: bytes) -> str:
    at = 0
    while at + _NOTE.size <= len(notes):
        name_size, value_size, kind = _NOTE.unpack_from(notes, at)
        name_at = at + _NOTE.size
        value_at = name_at + (name_size + 3 & ~3)
        value = notes[value_at : value_at + value_size]
        if kind == _GNU_BUILD_ID and notes[name_at : name_at + name_size] == b"GNU\0":
            return value.hex() if len(value) == value_size else ""
        at = value_at + (value_size + 3 & ~3)
    return ""


def _unpack(layout: struct.Struct, data: bytes) -> tuple[int, ...]:
    if len(data) < layout.size:
        raise ElfFileError("the file is truncated")
    return layout.unpack_from(data)
