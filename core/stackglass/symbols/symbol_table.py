"""Functions of an ELF file by address: one of its symbol tables, sorted."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from itertools import compress

from stackglass.symbols.elf_file import ElfFile, Section, read_text

_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_KINDS = (_SHT_SYMTAB, _SHT_DYNSYM)
_INDIRECT = 10  # STT_GNU_IFUNC
_FUNCTIONS = (2, _INDIRECT)  # STT_FUNC
_NO_TYPE = 0  # hand-written assembly may not say what a symbol is
_GLOBAL, _WEAK = 1, 2
_SYMBOL_WORDS = 3  # of 8 bytes: name, info, section; value; size
_MAX_SYMBOLS = 4_000_000
_MAX_NAME_BYTES = 4096
_MAX_ALIASES = 16
_MAX_TEXT_BYTES = 256 << 20


class SymbolTable:
    """The functions of a file. For one thread at a time.

    ``values`` are sorted addresses as linked; the columns are parallel.
    """

    __slots__ = ("_elf", "_heads", "_names", "_sizes", "_values")

    def __init__(self, elf: ElfFile, table: Section) -> None:
        """Raises ElfFileError."""
        self._elf = elf
        self._names = elf.sections[table.link] if table.link < len(elf.sections) else None
        heads, values, sizes = _read_columns(elf, table)
        is_function = [_is_code(head) for head in heads]
        rows = sorted(compress(range(len(heads)), is_function), key=values.__getitem__)
        self._heads = array("Q", (heads[row] for row in rows))
        self._values = array("Q", (values[row] for row in rows))
        self._sizes = array("Q", (sizes[row] for row in rows))

    def __len__(self) -> int:
        return len(self._values)

    def find(self, address: int) -> str:
        """Return the name of the function that contains ``address``; "" = unknown."""
        end = bisect_right(self._values, address)
        if not end:
            return ""
        start = self._values[end - 1]
        names = []
        for row in range(end - 1, max(end - 1 - _MAX_ALIASES, -1), -1):
            if self._values[row] != start:
                break
            size = self._sizes[row]
            # A symbol without a size, as in assembly, reaches as far as the next one.
            if not size or address < start + size:
                text = self._read_name(self._heads[row])
                names.append((_rank(self._heads[row]), text.startswith("_"), len(text), text))
        return min((name for name in names if name[3]), default=(0, False, 0, ""))[3]

    def list_indirect(self) -> list[str]:
        """Return the names of functions whose code is chosen when the library is loaded."""
        return [self._read_name(head) for head in self._heads if head >> 32 & 15 == _INDIRECT]

    def _read_name(self, head: int) -> str:
        names, offset = self._names, head & 0xFFFFFFFF
        if names is None or offset >= names.size:
            return ""
        size = min(names.size - offset, _MAX_NAME_BYTES)
        return read_text(self._elf.read(names.offset + offset, size), 0)


def read_tables(elf: ElfFile) -> list[SymbolTable]:
    """Return the file's tables, the larger kind first. Raises ElfFileError."""
    return [SymbolTable(elf, section) for section in _list_tables(elf)]


def find_data(elf: ElfFile, name: str) -> int | None:
    """Return the address of a variable as linked; None = there is none. Raises ElfFileError."""
    wanted = name.encode() + b"\0"
    for table in _list_tables(elf):
        texts = _read_texts(elf, table)
        at = texts.find(wanted)
        if at < 0:
            continue
        heads, values, _ = _read_columns(elf, table)
        for head, value in zip(heads, values):
            if head & 0xFFFFFFFF == at and 0 < head >> 48 < 0xFF00:
                return value
    return None


def list_functions(elf: ElfFile) -> list[tuple[int, int, str]]:
    """Return address, size and name of each function that has a size. Addresses are as linked; in
    an object file (``is_relocatable``) they are where its sections have been placed in memory.
    Raises ElfFileError."""
    places = [section.address for section in elf.sections] if elf.is_relocatable else []
    found = []
    for table in _list_tables(elf):
        texts = _read_texts(elf, table)
        for head, value, size in zip(*_read_columns(elf, table)):
            if not size or not _is_code(head):
                continue
            number = head >> 48
            base = places[number] if number < len(places) else 0
            found.append((base + value, size, read_text(texts, head & 0xFFFFFFFF)))
    return found


def _list_tables(elf: ElfFile) -> list[Section]:
    sections = [section for section in elf.sections if section.kind in _KINDS]
    return sorted(sections, key=lambda section: section.kind)


def _read_columns(elf: ElfFile, table: Section) -> tuple[array[int], array[int], array[int]]:
    """Return heads, values and sizes, a row for each symbol; a head is the first word of a symbol:
    name offset, 32 bits; info, 8; other, 8; section, 16. Raises ElfFileError."""
    size = min(table.size // (8 * _SYMBOL_WORDS), _MAX_SYMBOLS) * 8 * _SYMBOL_WORDS
    words = array("Q", elf.read_whole(table.offset, size))
    if sys.byteorder == "big":
        words.byteswap()
    return words[0::3], words[1::3], words[2::3]


def _read_texts(elf: ElfFile, table: Section) -> bytes:
    if table.link >= len(elf.sections):
        return b""
    names = elf.sections[table.link]
    return elf.read(names.offset, min(names.size, _MAX_TEXT_BYTES))


def _is_code(head: int) -> bool:
    """Whether a symbol with this head is a function that the file defines."""
    kind = head >> 32 & 15
    is_defined = 0 < head >> 48 < 0xFF00
    return is_defined and (kind in _FUNCTIONS or (kind == _NO_TYPE and head >> 36 & 15 == _GLOBAL))


def _rank(head: int) -> int:
    """Return the order among the names of one address: global, weak, local."""
    binding = head >> 36 & 15
    return {_GLOBAL: 0, _WEAK: 1}.get(binding, 2)
