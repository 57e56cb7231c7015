"""Static data of an ELF file as the loader leaves it: words of the writable sections, with the
addresses that relocations put there.

Packed relocations (RELR) need no work, because their addresses are in the file already; nor do
programs that are loaded at the addresses where they were linked.
"""

from __future__ import annotations

import re
import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator

from stackglass.symbols.elf_file import ElfFile, ElfFileError, Section, read_text

WORD_BYTES = 8
_SHT_PROGBITS, _SHT_RELA = 1, 4
_WRITABLE, _ALLOCATED, _CODE = 1, 2, 4
_R_RELATIVE, _R_64, _R_GLOB_DAT, _R_JUMP_SLOT = 8, 1, 6, 7  # x86-64
_MAX_DATA_BYTES = 32 << 20
_MAX_RELOCATION_BYTES = 32 << 20
_MAX_NAMES_BYTES = 64 << 20
_MAX_TEXT_BYTES = 256
_MAX_CODE_BYTES = 64 << 20
# An operand relative to the program counter (x86-64): a byte that says so, and the distance.
_RELATIVE = re.compile(rb"[\x05\x0d\x15\x1d\x25\x2d\x35\x3d]")
_OPERAND_BYTES = 5


class StaticData:
    """The words of a file's static data, by address as linked. One thread at a time may use it."""

    __slots__ = (
        "_code",
        "_elf",
        "_named",
        "_starts",
        "_texts",
        "blocks",
        "imports",
        "shared",
        "slots",
    )

    def __init__(self, elf: ElfFile) -> None:
        """Raises ElfFileError for a file that is truncated or too large."""
        self._elf = elf
        loaded = [each for each in elf.sections if each.flags & _ALLOCATED and each.address]
        content = [each for each in loaded if each.kind == _SHT_PROGBITS]
        self._code = [each for each in loaded if each.flags & _CODE]
        self._texts = [each for each in content if not each.flags & _CODE]
        writable = [
            each
            for each in content
            if each.flags & _WRITABLE and each.size >= WORD_BYTES and each.address % WORD_BYTES == 0
        ]
        if sum(each.size for each in writable) > _MAX_DATA_BYTES:
            raise ElfFileError("the static data is too large")
        writable.sort(key=lambda each: each.address)
        self._starts = [each.address for each in writable]
        self.blocks = [(each.address, self._read_words(each)) for each in writable]
        self._named = dict(zip(self._starts, (each.name for each in writable)))
        self.imports: dict[int, tuple[str, int]] = {}
        """Words that refer to another library, by address: a symbol and an addend."""
        self.shared: set[int] = set()
        """Addresses of this file that code refers to through the global offset table."""
        self.slots: dict[int, str] = {}
        """Symbols of other files' functions, by the word of the global offset table that has
        them."""
        for section in loaded:
            if section.kind == _SHT_RELA:
                self._relocate(section)

    def read(self, address: int) -> int:
        """Return the word at an address; 0 = there is no data."""
        number = bisect_right(self._starts, address) - 1
        if number < 0 or address % WORD_BYTES:
            return 0
        start, words = self.blocks[number]
        at = (address - start) // WORD_BYTES
        return words[at] if at < len(words) else 0

    def list_blocks(self, section: str) -> Iterator[tuple[int, array[int]]]:
        """Yield address and words of each section whose name begins with ``section``."""
        for start, words in self.blocks:
            if self._named[start].startswith(section):
                yield start, words

    def find_word(self, word: int) -> Iterator[int]:
        """Yield the addresses where this word is stored."""
        for start, words in self.blocks:
            if words.count(word):  # faster than a loop, and array.index has no start up to 3.9
                yield from (
                    start + at * WORD_BYTES for at, each in enumerate(words) if each == word
                )

    def find_references(self, targets: set[int]) -> set[int]:
        """Return those ``targets`` that machine code or static data refers to, and perhaps one or
        two others of them. Raises ElfFileError if there is too much code."""
        if not targets:
            return set()
        found = {word for _, words in self.blocks for word in words if word in targets}
        low, high = min(targets), max(targets)
        unpack = struct.Struct("<i").unpack_from
        for start, code in self.list_code():
            after = start + _OPERAND_BYTES
            for match in _RELATIVE.finditer(code, 0, max(len(code) - _OPERAND_BYTES, 0)):
                at = match.start()
                target = after + at + unpack(code, at + 1)[0]
                if low <= target + 1 <= high + 1:  # 1 more behind a constant of one byte
                    found.update({target, target + 1} & targets)
        return found

    def list_code(self) -> Iterator[tuple[int, bytes]]:
        """Yield address and machine code of each section. Raises ElfFileError if there is too
        much."""
        if sum(each.size for each in self._code) > _MAX_CODE_BYTES:
            raise ElfFileError("there is too much code")
        for section in self._code:
            yield section.address, self._elf.read(section.offset, section.size)

    def is_code(self, address: int) -> bool:
        """Return whether there is machine code at an address."""
        return _find(self._code, address) is not None

    def read_text(self, address: int, most_bytes: int = _MAX_TEXT_BYTES) -> str:
        """Return the NUL-terminated ASCII text at an address; "" = there is none, or it is
        longer."""
        section = _find(self._texts, address)
        if section is None:
            return ""
        at = address - section.address
        content = self._elf.read(section.offset + at, min(section.size - at, most_bytes))
        text, end, _ = content.partition(b"\0")
        return text.decode() if end and text.isascii() else ""

    def find_text(self, text: str) -> Iterator[int]:
        """Yield the addresses of this NUL-terminated text after another text, at most one for each
        section that is not writable."""
        for section in self._texts:
            if not section.flags & _WRITABLE:
                content = self._elf.read(section.offset, min(section.size, _MAX_DATA_BYTES))
                at = content.find(f"\0{text}\0".encode())
                if at >= 0:
                    yield section.address + at + 1

    def _read_words(self, section: Section) -> array[int]:
        size = section.size // WORD_BYTES * WORD_BYTES
        words = array("Q", self._elf.read_whole(section.offset, size))
        if sys.byteorder == "big":
            words.byteswap()
        return words

    def _relocate(self, section: Section) -> None:
        if section.size > _MAX_RELOCATION_BYTES:
            raise ElfFileError("there are too many relocations")
        size = section.size // (3 * WORD_BYTES) * 3 * WORD_BYTES
        rows = array("Q", self._elf.read_whole(section.offset, size))
        if sys.byteorder == "big":
            rows.byteswap()
        names, heads, values = self._read_symbols(section)
        for address, kind, addend in zip(rows[0::3], rows[1::3], rows[2::3]):
            if kind == _R_RELATIVE:
                self._write(address, addend)
            elif kind >> 32 >= len(values):
                continue
            elif kind & 0xFFFFFFFF in (_R_64, _R_GLOB_DAT, _R_JUMP_SLOT):
                value = values[kind >> 32]
                if kind & 0xFFFFFFFF != _R_64 and not value:
                    self.slots[address] = read_text(names, heads[kind >> 32] & 0xFFFFFFFF)
                if kind & 0xFFFFFFFF == _R_GLOB_DAT:
                    self.shared.add(value)
                elif kind & 0xFFFFFFFF == _R_JUMP_SLOT:
                    continue
                elif value:
                    self._write(address, value + addend & 0xFFFFFFFFFFFFFFFF)
                else:
                    name = read_text(names, heads[kind >> 32] & 0xFFFFFFFF)
                    self.imports[address] = name, addend

    def _read_symbols(self, section: Section) -> tuple[bytes, array[int], array[int]]:
        """Return names, heads and values of the symbols that a table of relocations refers to;
        value 0 = the symbol is another file's."""
        sections = self._elf.sections
        if section.link >= len(sections):
            return b"", array("Q"), array("Q")
        symbols = sections[section.link]
        size = min(symbols.size, _MAX_RELOCATION_BYTES) // (3 * WORD_BYTES) * 3 * WORD_BYTES
        words = array("Q", self._elf.read_whole(symbols.offset, size))
        names = sections[symbols.link] if symbols.link < len(sections) else None
        texts = self._elf.read(names.offset, min(names.size, _MAX_NAMES_BYTES)) if names else b""
        return texts, words[0::3], words[1::3]

    def _write(self, address: int, value: int) -> None:
        number = bisect_right(self._starts, address) - 1
        if number < 0 or address % WORD_BYTES:
            return
        start, words = self.blocks[number]
        at = (address - start) // WORD_BYTES
        if at < len(words):
            words[at] = value


def _find(sections: list[Section], address: int) -> Section | None:
    for section in sections:
        if section.address <= address < section.address + section.size:
            return section
    return None
