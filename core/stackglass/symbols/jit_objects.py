"""JIT objects: names in the object files that LLVM, and so numba, keeps in memory for debuggers.

In GDB's JIT interface, a library that makes code has a descriptor of a list with an ELF file for
each piece of code. The sections of the ELF file have their addresses in memory::

    __jit_debug_descriptor ─▶ entry ─▶ entry ─▶ …
                                └─▶ object file: sections, symbols

Everything is read from outside, while the program runs: all of it may be wrong.
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from stackglass.clock import SYSTEM_CLOCK, Clock
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.jit_names import name_jit_symbol
from stackglass.symbols.map_rows import read_map
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symbol_table import find_data, list_functions

_READ_INTERVAL_NS = 50_000_000
_DESCRIPTOR = "__jit_debug_descriptor"
_VERSION = 1
_HEAD = struct.Struct("<IIQQ")  # version, action, relevant entry, first entry
_ENTRY = struct.Struct("<QQQQ")  # next, previous, address and size of the object file
_MAX_ENTRIES = 100_000
_MAX_BYTES = 512 << 20  # of all object files of a process: names of later ones are not known


class JitObjects:
    """The functions of one process's object files in memory. For one thread."""

    __slots__ = (
        "_clock",
        "_descriptors",
        "_functions",
        "_n_bytes",
        "_pid",
        "_read_ns",
        "_seen",
        "_starts",
    )

    def __init__(self, pid: int, clock: Clock = SYSTEM_CLOCK) -> None:
        """``pid`` 0 = the process has ended: no names."""
        self._pid = pid
        self._clock = clock
        self._read_ns = -_READ_INTERVAL_NS
        self._n_bytes = 0
        self._descriptors: dict[str, int | None] = {}  # by base and library; None = no descriptor
        self._seen: set[tuple[int, int, int]] = set()  # entry, object file, its size
        self._functions: dict[int, tuple[int, str]] = {}  # by start: end, name
        self._starts: list[int] = []

    def find(self, address: int) -> str:
        """Return the name of the code at an address; "" = not known."""
        return self._find(address) or (self._find(address) if self._read() else "")

    def _find(self, address: int) -> str:
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return ""
        end, name = self._functions[self._starts[index]]
        return name if address < end else ""

    def _read(self) -> bool:
        """Read new object files. Returns False if the last read was just before, or found
        nothing."""
        now_ns = self._clock.mono_ns()
        if not self._pid or now_ns - self._read_ns < _READ_INTERVAL_NS:
            return False
        self._read_ns = now_ns
        n_seen = len(self._seen)
        try:
            places = list(self._list_descriptors())
            with open(f"/proc/{self._pid}/mem", "rb", buffering=0) as memory:
                for index in places:
                    for content in reversed(self._read_list(memory.fileno(), index)):
                        self._add_object(content)
        except OSError:
            return False  # the process has ended, or its memory may not be read
        return len(self._seen) > n_seen

    def _list_descriptors(self) -> Iterator[int]:
        """Yield the addresses of descriptors; each library's file is searched once."""
        rows = read_map(self._pid)
        first: dict[str, tuple[int, int]] = {}  # first mapping of a library: start, offset
        for row in rows:
            if len(row) == 6 and row[5].startswith("/"):
                first.setdefault(row[5], (int(row[0].partition("-")[0], 16), int(row[2], 16)))
        mapped = {row[5] for row in rows if len(row) == 6 and "x" in row[1]}
        for path, (start, offset) in first.items():
            if path in mapped and not offset:
                key = f"{start:x} {path}"
                if key not in self._descriptors:
                    self._descriptors[key] = _find_descriptor(f"/proc/{self._pid}/root{path}")
                address = self._descriptors[key]
                if address is not None:
                    yield start + address

    def _read_list(self, memory: int, descriptor: int) -> list[bytes]:
        """Return the new object files, the newest first, as in the list."""
        found: list[bytes] = []
        try:
            version, _, _, at = _HEAD.unpack(_read_whole(memory, descriptor, _HEAD.size))
            while at and version == _VERSION and len(found) < _MAX_ENTRIES:
                entry = at
                at, _, start, size = _ENTRY.unpack(_read_whole(memory, entry, _ENTRY.size))
                if (entry, start, size) in self._seen or self._n_bytes + size > _MAX_BYTES:
                    break
                self._seen.add((entry, start, size))
                self._n_bytes += size
                found.append(_read_whole(memory, start, size))
        except OSError:
            pass  # the list has changed meanwhile, or there is none
        return found

    def _add_object(self, content: bytes) -> None:
        try:
            elf = ElfFile(lambda offset, size: content[offset : offset + size])
            functions = list_functions(elf)
        except ElfFileError:
            return
        for start, size, symbol in functions:
            self._add(start, start + size, name_jit_symbol(symbol))

    def _add(self, start: int, end: int, name: str) -> None:
        """Add a function in place of all functions that it overlaps."""
        first = bisect_left(self._starts, start)
        if first and self._functions[self._starts[first - 1]][0] > start:
            first -= 1
        last = bisect_left(self._starts, end)
        for each in self._starts[first:last]:
            del self._functions[each]
        del self._starts[first:last]
        self._functions[start] = (end, name)
        insort(self._starts, start)


def _find_descriptor(path: str) -> int | None:
    """Return the address of a library's descriptor, less its base; None = it has none."""
    try:
        return find_data(ElfFile(OpenFile(path).read), _DESCRIPTOR)
    except (OSError, ElfFileError):
        return None


def _read_whole(memory: int, address: int, size: int) -> bytes:
    """Return ``size`` bytes. Raises OSError if they cannot be read."""
    try:
        content = os.pread(memory, size, address)
    except OverflowError:
        raise OSError("no address of a process") from None
    if len(content) != size:
        raise OSError("the memory ends there")
    return content
