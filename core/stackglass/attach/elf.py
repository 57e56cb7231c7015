"""Dynamic symbols of an ELF file, read from the file or from the memory where it is mapped."""

from __future__ import annotations

import struct

from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[int, int], bytes]
    """(offset or address, size) → as many bytes as there are, at most size."""

_MAGIC = b"\x7fELF"
_CLASS_64 = 2
_LITTLE_ENDIAN = 1
_HEADER = struct.Struct("<4xBB26xQ14xHH6x")  # class, byte order, e_phoff, e_phentsize, e_phnum
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_GNU_HASH = struct.Struct("<IIII")

_PT_LOAD, _PT_DYNAMIC = 1, 2
_PF_X, _PF_W = 1, 2
_DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_GNU_HASH = 4, 5, 6, 0x6FFFFEF5
_MAX_CHAIN = 10_000


class ElfError(Exception):
    """Bytes that are no readable ELF file. Never leaves this package."""


class Segment(NamedTuple):
    """A part of the file that is mapped into memory."""

    offset: int
    address: int  # as linked
    file_size: int
    is_executable: bool
    is_writable: bool


class Symbol(NamedTuple):
    """A dynamic symbol that the file defines."""

    address: int  # as linked: add the load bias
    size: int


class Elf:
    """A 64-bit, little-endian ELF file.

    ``read`` takes offsets into the file; or, with ``bias`` given, addresses of a process in which
    the file is mapped with that bias. Raises ElfError for bytes that are not valid.
    """

    __slots__ = ("_bias", "_dynamic", "_read", "segments")

    def __init__(self, read: Read, bias: int | None = None, start: int = 0) -> None:
        """``start``: address of the file's first byte in memory; 0 for a file."""
        self._read = read
        self._bias = bias
        data = read(start, _HEADER.size)
        if data[:4] != _MAGIC:
            raise ElfError("not an ELF file")
        header = self._unpack(_HEADER, data)
        word_size, byte_order, offset, size, count = header
        if word_size != _CLASS_64 or byte_order != _LITTLE_ENDIAN:
            raise ElfError("not a 64-bit little-endian ELF file")
        if size != _PROGRAM_HEADER.size:
            raise ElfError("the program headers have an unknown size")
        table = read(start + offset, size * count)
        headers = [
            self._unpack(_PROGRAM_HEADER, table[i * size : (i + 1) * size]) for i in range(count)
        ]
        self.segments = [
            Segment(h[2], h[3], h[5], bool(h[1] & _PF_X), bool(h[1] & _PF_W))
            for h in headers
            if h[0] == _PT_LOAD
        ]
        dynamic = [(h[3], h[6]) for h in headers if h[0] == _PT_DYNAMIC]
        self._dynamic = self._read_dynamic(*dynamic[0]) if dynamic else {}

    @staticmethod
    def is_64_bit(start_of_file: bytes) -> bool:
        """Whether the file is for a 64-bit processor; True also if it is no ELF file."""
        return start_of_file[:4] != _MAGIC or start_of_file[4:5] == bytes([_CLASS_64])

    def find_symbol(self, name: str) -> Symbol | None:
        """The dynamic symbol ``name``; None if the file does not define it."""
        if _DT_GNU_HASH in self._dynamic:
            return self._find_by_gnu_hash(name.encode())
        if _DT_HASH in self._dynamic:
            return self._find_by_hash(name.encode())
        return None

    def read_at(self, address: int, size: int) -> bytes:
        """Bytes at an address as linked; fewer if they are not there."""
        if self._bias is not None:
            return self._read(address + self._bias, size)
        for segment in self.segments:
            inside = address - segment.address
            if 0 <= inside < segment.file_size:
                return self._read(segment.offset + inside, min(size, segment.file_size - inside))
        return b""

    def find_bias(self, mapped_at: int, offset: int) -> int:
        """The load bias, which is added to addresses as linked, of a file that is mapped from
        ``offset`` on at ``mapped_at``. Raises ElfError."""
        for segment in self.segments:
            page_offset = segment.offset & ~0xFFF
            if page_offset <= offset < segment.offset + max(segment.file_size, 1):
                return mapped_at - (segment.address - (segment.offset - offset))
        raise ElfError("the mapping matches no loaded segment of the file")

    @staticmethod
    def _unpack(layout: struct.Struct, data: bytes) -> tuple[int, ...]:
        if len(data) < layout.size:
            raise ElfError("the file is truncated")
        return layout.unpack_from(data)

    def _read_dynamic(self, address: int, size: int) -> dict[int, int]:
        found: dict[int, int] = {}
        data = self.read_at(address, min(size, 1 << 16))
        for at in range(0, len(data) - _DYNAMIC.size + 1, _DYNAMIC.size):
            tag, value = _DYNAMIC.unpack_from(data, at)
            if tag == 0:
                break
            # In memory glibc may have added the bias already.
            if self._bias and value >= self._bias:
                value -= self._bias
            found.setdefault(tag, value)
        return found

    def _words(self, address: int, count: int) -> tuple[int, ...]:
        data = self.read_at(address, 4 * count)
        if len(data) < 4 * count:
            raise ElfError("the symbol table is truncated")
        return struct.unpack(f"<{count}I", data)

    def _find_by_gnu_hash(self, name: bytes) -> Symbol | None:
        table = self._dynamic[_DT_GNU_HASH]
        n_buckets, first, n_bloom, _ = self._unpack(_GNU_HASH, self.read_at(table, 16))
        if n_buckets == 0:
            return None
        hashed = hash_gnu(name)
        buckets = table + 16 + 8 * n_bloom
        index = self._words(buckets + 4 * (hashed % n_buckets), 1)[0]
        if index < first:
            return None
        chains = buckets + 4 * n_buckets
        for _ in range(_MAX_CHAIN):
            value = self._words(chains + 4 * (index - first), 1)[0]
            if value | 1 == hashed | 1:
                found = self._read_symbol(index, name)
                if found is not None:
                    return found
            if value & 1:
                return None
            index += 1
        raise ElfError("a hash chain of the symbol table has no end")

    def _find_by_hash(self, name: bytes) -> Symbol | None:
        table = self._dynamic[_DT_HASH]
        n_buckets, _ = self._words(table, 2)
        if n_buckets == 0:
            return None
        index = self._words(table + 8 + 4 * (hash_sysv(name) % n_buckets), 1)[0]
        for _ in range(_MAX_CHAIN):
            if index == 0:
                return None
            found = self._read_symbol(index, name)
            if found is not None:
                return found
            index = self._words(table + 8 + 4 * (n_buckets + index), 1)[0]
        raise ElfError("a hash chain of the symbol table has no end")

    def _read_symbol(self, index: int, name: bytes) -> Symbol | None:
        symbols, strings = self._dynamic.get(_DT_SYMTAB), self._dynamic.get(_DT_STRTAB)
        if symbols is None or strings is None:
            raise ElfError("the file has no symbol table")
        data = self.read_at(symbols + index * _SYMBOL.size, _SYMBOL.size)
        name_at, _, _, section, value, size = self._unpack(_SYMBOL, data)
        text = self.read_at(strings + name_at, len(name) + 1)
        if section == 0 or text != name + b"\0":
            return None
        return Symbol(value, size)


def hash_gnu(name: bytes) -> int:
    """The hash of DT_GNU_HASH, 32 bits."""
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def hash_sysv(name: bytes) -> int:
    """The hash of DT_HASH, 28 bits."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high
    return value
