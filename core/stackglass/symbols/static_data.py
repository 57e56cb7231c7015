"""Static data of an ELF file as the loader leaves it: words of the writable sections, with the
addresses that relocations put there. Relocations of the packed kind (RELR), and programs that are
loaded where they were linked, have them in the file."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right

from stackglass.symbols.elf_file import ElfFile, ElfFileError, Section

WORD_BYTES = 8
_SHT_PROGBITS, _SHT_RELA = 1, 4
_WRITABLE, _ALLOCATED, _CODE = 1, 2, 4
_R_RELATIVE, _R_64 = 8, 1  # x86-64
_MAX_DATA_BYTES = 32 << 20
_MAX_RELOCATION_BYTES = 32 << 20
_MAX_TEXT_BYTES = 256


class StaticData:
    """Addresses are as linked. Any one thread at a time."""

    __slots__ = ("_code", "_elf", "_starts", "_texts", "blocks")

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
        for section in loaded:
            if section.kind == _SHT_RELA:
                self._relocate(section)

    def read(self, address: int) -> int:
        """The word at an address; 0 = none is there."""
        number = bisect_right(self._starts, address) - 1
        if number < 0 or address % WORD_BYTES:
            return 0
        start, words = self.blocks[number]
        at = (address - start) // WORD_BYTES
        return words[at] if at < len(words) else 0

    def is_code(self, address: int) -> bool:
        """Whether machine code is there."""
        return _find(self._code, address) is not None

    def read_text(self, address: int) -> str:
        """The NUL-terminated ASCII text at an address; "" = none is there."""
        section = _find(self._texts, address)
        if section is None:
            return ""
        at = address - section.address
        content = self._elf.read(section.offset + at, min(section.size - at, _MAX_TEXT_BYTES))
        text, end, _ = content.partition(b"\0")
        return text.decode() if end and text.isascii() else ""

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
        values = self._read_symbol_values(section)
        for place, kind, addend in zip(rows[0::3], rows[1::3], rows[2::3]):
            if kind == _R_RELATIVE:
                self._write(place, addend)
            elif kind & 0xFFFFFFFF == _R_64 and kind >> 32 < len(values):
                value = values[kind >> 32]
                if value:
                    self._write(place, value + addend & 0xFFFFFFFFFFFFFFFF)

    def _read_symbol_values(self, section: Section) -> array[int]:
        """Of the symbols that a table of relocations refers to; 0 = of another file."""
        if section.link >= len(self._elf.sections):
            return array("Q")
        symbols = self._elf.sections[section.link]
        size = min(symbols.size, _MAX_RELOCATION_BYTES) // (3 * WORD_BYTES) * 3 * WORD_BYTES
        return array("Q", self._elf.read_whole(symbols.offset, size))[1::3]

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
