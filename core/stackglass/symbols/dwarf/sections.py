"""Debug sections of a file, read piece by piece. Compressed sections are unpacked whole, up to a
limit."""

from __future__ import annotations

import struct
import zlib

from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.elf_file import ElfFile, Section

_SHF_COMPRESSED = 0x800
_ELFCOMPRESS_ZLIB, _ELFCOMPRESS_ZSTD = 1, 2
_HEADER = struct.Struct("<IIQQ")
_MAX_UNPACKED_BYTES = 384 << 20
_MAX_TEXT_BYTES = 4096


class DebugSections:
    """The sections of one file. Raises DwarfError and ElfFileError."""

    __slots__ = ("_left_bytes", "_sections", "_unpacked", "elf")

    def __init__(self, elf: ElfFile) -> None:
        self.elf = elf
        self._sections: dict[str, Section | None] = {}
        self._unpacked: dict[str, bytes] = {}
        self._left_bytes = _MAX_UNPACKED_BYTES

    def size(self, name: str) -> int:
        """Return the unpacked size in bytes; 0 = there is no such section."""
        section = self._find(name)
        if section is None:
            return 0
        return len(self._unpacked[name]) if name in self._unpacked else section.size

    def read(self, name: str, offset: int, size: int) -> bytes:
        """Return as many bytes as there are, at most ``size``."""
        section = self._find(name)
        if section is None or offset < 0 or size <= 0:
            return b""
        if name in self._unpacked:
            return self._unpacked[name][offset : offset + size]
        size = min(size, section.size - offset)
        return self.elf.read(section.offset + offset, size) if size > 0 else b""

    def read_text(self, name: str, offset: int) -> str:
        """Return the text at an offset, up to its NUL or 4096 bytes; "" = there is none."""
        content = self.read(name, offset, _MAX_TEXT_BYTES)
        return content.partition(b"\0")[0].decode("utf-8", "replace")

    def _find(self, name: str) -> Section | None:
        if name not in self._sections:
            section = self._sections[name] = self.elf.find_section(name)
            if section is not None and section.flags & _SHF_COMPRESSED:
                self._unpacked[name] = self._unpack(section)
        return self._sections[name]

    def _unpack(self, section: Section) -> bytes:
        packed = self.elf.read(section.offset, section.size)
        if len(packed) < _HEADER.size:
            raise DwarfError("a compressed section is truncated")
        kind, _, size, _ = _HEADER.unpack_from(packed)
        unpack = {_ELFCOMPRESS_ZLIB: _unpack_zlib, _ELFCOMPRESS_ZSTD: _unpack_zstd}.get(kind)
        if unpack is None:
            raise DwarfError("its debug information is compressed in a way that is not read")
        if size > self._left_bytes:
            raise DwarfError("its debug information is too large")
        content = unpack(packed[_HEADER.size :], size)
        self._left_bytes -= len(content)
        return content


def _unpack_zlib(packed: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, size or 1)
    except zlib.error:
        raise DwarfError("a compressed section is damaged") from None


def _unpack_zstd(packed: bytes, size: int) -> bytes:
    from stackglass.symbols.dwarf.zstd import unpack  # here for start-up time: it loads ctypes

    return unpack(packed, size)
