"""Symboliser: names for the machine code of one process, from the files of its libraries."""

from __future__ import annotations

from collections.abc import Iterator

from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.jit_objects import JitObjects
from stackglass.symbols.library_names import LibraryNames
from stackglass.symbols.made_code import MadeCode
from stackglass.symbols.names import name_function, name_start
from stackglass.symbols.native_code import (
    MADE,
    UNNAMED,
    NativeCode,
    NativeLine,
    NativeName,
)
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.perf_map import PerfMap
from stackglass.symbols.system_calls import name_system_call

_MAX_LIBRARIES = 1024


class Symboliser:
    """Names and lines by library and address. For one thread; a library's file is read at the first
    request for the library.

    A file is used only if the process has loaded it: its build id, or if it has none, its program
    headers, are those that the engine saw in memory.
    """

    __slots__ = ("_jit_objects", "_libraries", "_made", "_perf_map", "_pid")

    def __init__(self, pid: int) -> None:
        """The process may be in another mount namespace. ``pid`` 0 = the process has ended."""
        self._pid = pid
        self._made = MadeCode(pid)
        self._perf_map = PerfMap(pid)
        self._jit_objects = JitObjects(pid)
        self._libraries: dict[tuple[str, str], LibraryNames] = {}

    def name(self, path: str, identity: str, start: int) -> NativeName:
        """Return the name of the function at ``start``, an address less the library's base."""
        if not path:
            return self._name_made(NativeCode(path, identity, start))
        key = (path, identity)
        if key not in self._libraries:
            if len(self._libraries) >= _MAX_LIBRARIES:
                return NativeName(name_start(path, start), "")
            self._libraries[key] = self._read(path, identity)
        return self._libraries[key].name(start)

    def locate(self, path: str, identity: str, address: int) -> list[NativeLine]:
        """Return the lines at an address, less the library's base: that of the innermost inlined
        call first, that of the function itself last; [] = not known, or ``name`` was never called
        for the library. May take a second for each source file."""
        library = self._libraries.get((path, identity))
        return library.locate(address) if library else []

    def list_problems(self) -> list[str]:
        """Return why lines are missing, a sentence for each library."""
        return [library.problem for library in self._libraries.values() if library.problem]

    def _name_made(self, code: NativeCode) -> NativeName:
        """Return the name of code that was made at run time."""
        address = code.memory_address
        call = name_system_call(address or 0)
        if call:
            return NativeName(call, "")
        symbol = self._perf_map.find(address) if address is not None else ""
        if symbol:
            return NativeName(f"JIT: {symbol}", symbol)
        if address is None or not self._made.holds(address):
            return UNNAMED
        symbol = self._jit_objects.find(address)
        if symbol:
            return NativeName(f"JIT: {symbol}", symbol)
        library = code.calling_library
        return NativeName(name_function(library, "[JIT code]"), "") if library else MADE

    def _read(self, path: str, identity: str) -> LibraryNames:
        for root, place in self._list_places(path):
            try:
                elf = ElfFile(OpenFile(place).read)
                if elf.identity == identity:
                    return LibraryNames(path, elf, root)
            except (OSError, ElfFileError):
                continue  # the file is missing or not readable: try the next place
        return LibraryNames(path)

    def _list_places(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield root folder and file, as the process sees them, then as this one does."""
        if self._pid:
            root = f"/proc/{self._pid}/root"
            if path.startswith("/"):
                yield root, root + path
            yield root, f"/proc/{self._pid}/exe"
        if path.startswith("/"):
            yield "", path
