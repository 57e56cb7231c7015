"""Header of a unit's line program: its files, and the encoding of its instructions."""

from __future__ import annotations

import posixpath

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf.encoding import (
    ALT_TEXT,
    LINE_TEXT,
    TEXT_OFFSET,
    Value,
    read_number,
    read_unsigned,
    read_value,
)
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.sections import DebugSections

SECTION = ".debug_line"
_MAX_BYTES = 64 << 20
_MAX_FILES = 1 << 15
_MAX_FORMATS = 16
_IS_WIDE = 0xFFFFFFFF
_PATH, _FOLDER = 1, 2


class LineHeader(NamedTuple):
    """The fields of a header that running the program needs."""

    files: list[str]  # paths; numbers begin with 0 in version 5, with 1 in older versions
    instruction_bytes: int
    line_base: int
    line_range: int
    opcode_base: int
    lengths: list[int]  # number of operands, by standard opcode


def read_program(sections: DebugSections, offset: int, folder: str) -> tuple[bytes, LineHeader]:
    """Return instructions and header of the line program at an offset. ``folder``: where the unit
    was compiled. Raises DwarfError, IndexError."""
    head = sections.read(SECTION, offset, 12)
    wide = read_number(head, 0, 4) == _IS_WIDE
    size = read_number(head, 4, 8) if wide else read_number(head, 0, 4)
    if not 0 < size <= _MAX_BYTES:
        raise DwarfError("its lines are too large")
    data = sections.read(SECTION, offset + (12 if wide else 4), size)
    width = 8 if wide else 4
    version, at = read_number(data, 0, 2), 2
    if not 2 <= version <= 5:
        raise DwarfError(f"its lines are of version {version}, which is not read")
    at += 2 if version == 5 else 0  # size of an address, of a segment
    start = at + width + read_number(data, at, width)
    at += width
    unit = data[at]
    at += 2 if version >= 4 else 1  # operations of an instruction
    base = int.from_bytes(data[at + 1 : at + 2], "little", signed=True)
    span, opcode_base = data[at + 2], data[at + 3]
    if not span or not opcode_base:
        raise DwarfError("its lines have no valid header")
    lengths = [0, *data[at + 4 : at + 3 + opcode_base]]
    lengths += [0] * (opcode_base - len(lengths))
    at += 3 + opcode_base
    read = _read_new_files if version == 5 else _read_old_files
    files = read(_Reader(data, at, width, sections), folder)
    return data[start:], LineHeader(files, unit, base, span, opcode_base, lengths)


class _Reader:
    """A position in a header."""

    __slots__ = ("at", "data", "sections", "width")

    def __init__(self, data: bytes, at: int, width: int, sections: DebugSections) -> None:
        self.data, self.at, self.width, self.sections = data, at, width, sections

    def read_unsigned(self) -> int:
        number, self.at = read_unsigned(self.data, self.at)
        return number

    def read_text(self) -> str:
        end = self.data.index(b"\0", self.at)
        text = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return text

    def read_form(self, form: int) -> Value:
        value, self.at = read_value(form, 0, self.data, self.at, self.width)
        if value.kind == LINE_TEXT:
            return value._replace(text=self.sections.read_text(".debug_line_str", value.number))
        if value.kind == TEXT_OFFSET:
            return value._replace(text=self.sections.read_text(".debug_str", value.number))
        if value.kind == ALT_TEXT:
            raise DwarfError("the names of its files are in another file")
        return value


def _read_old_files(reader: _Reader, folder: str) -> list[str]:
    folders, files = [folder], [""]
    while text := reader.read_text():
        folders.append(join(folder, text))
        _check(folders)
    while text := reader.read_text():
        number = reader.read_unsigned()
        reader.read_unsigned()  # time
        reader.read_unsigned()  # size
        files.append(join(folders[number] if number < len(folders) else "", text))
        _check(files)
    return files


def _read_new_files(reader: _Reader, folder: str) -> list[str]:
    """Return the paths of a header of version 5, whose folder 0 is that of the unit."""
    folders: list[str] = []
    base = folder if folder.startswith("/") else ""
    for text, _ in _read_entries(reader):
        folders.append(join(folders[0] if folders else base, text))
    return [
        join(folders[number] if number < len(folders) else "", text)
        for text, number in _read_entries(reader)
    ]


def _read_entries(reader: _Reader) -> list[tuple[str, int]]:
    """Return text and folder of each entry."""
    n_formats = reader.data[reader.at]
    reader.at += 1
    if n_formats > _MAX_FORMATS:
        raise DwarfError("its lines have no valid header")
    formats = [(reader.read_unsigned(), reader.read_unsigned()) for _ in range(n_formats)]
    n_entries = reader.read_unsigned()
    if n_entries > _MAX_FILES:
        raise DwarfError("its lines have too many files")
    entries = []
    for _ in range(n_entries):
        text, folder = "", 0
        for content, form in formats:
            value = reader.read_form(form)
            if content == _PATH:
                text = value.text
            elif content == _FOLDER:
                folder = value.number
        entries.append((text, folder))
    return entries


def _check(rows: list[str]) -> None:
    if len(rows) > _MAX_FILES:
        raise DwarfError("its lines have too many files")


def join(folder: str, path: str) -> str:
    """Return the joined path without ``.`` and ``..``.

    >>> join("/build/a", "../b/c.c")
    '/build/b/c.c'
    """
    return posixpath.normpath(posixpath.join(folder, path)) if path else folder
