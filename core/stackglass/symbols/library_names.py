"""Names of one library's functions, from its file, and their source lines.

A function has the name that Python gives it, else its symbol, else its address.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackglass.symbols.chosen_functions import read_chosen_names
from stackglass.symbols.class_tables import read_class_names
from stackglass.symbols.cython_names import read_cython_name
from stackglass.symbols.debug_file import (
    find_damaged,
    open_alternative,
    open_debug_file,
    unpack_inner_symbols,
)
from stackglass.symbols.demangler import demangle
from stackglass.symbols.dwarf.debug_info import DebugInfo, has_debug_info
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.method_tables import PythonName, read_method_names
from stackglass.symbols.names import (
    clean_symbol,
    is_interpreter,
    name_function,
    name_library,
    name_start,
)
from stackglass.symbols.native_code import NativeLine, NativeName
from stackglass.symbols.symbol_table import SymbolTable, read_tables
from stackglass.symbols.thread_functions import read_thread_names

_STUBS = (".plt", ".plt.sec", ".plt.got")
_STUB = "[plt]"
_BUILTINS = "builtins"
_NAMELESS = "[inlined]"


class LibraryNames:
    """The names and lines of one library. One thread at a time may use it."""

    __slots__ = (
        "_chosen",
        "_damaged",
        "_elf",
        "_lines",
        "_members",
        "_methods",
        "_path",
        "_stubs",
        "_tables",
    )

    def __init__(self, path: str, elf: ElfFile | None = None, root: str = "") -> None:
        """``elf`` None = no file is proven to be the library."""
        self._path, self._elf = path, elf
        self._members: dict[int, str] | None = None  # read when the first name is missing
        debug = open_debug_file(elf, path, root) if elf else None
        self._tables = list(_list_tables(elf, debug)) if elf else []
        self._lines = _open_lines(elf, debug, path, root)
        self._damaged = find_damaged(elf, path, root) if elf and not self._lines else ""
        self._chosen = read_chosen_names(elf, path, self._tables) if elf else {}
        self._methods = read_method_names(elf) if elf else {}
        sections = elf.sections if elf else []
        self._stubs = [
            range(each.address, each.address + each.size)
            for each in sections
            if each.name in _STUBS and each.address
        ]

    def name(self, start: int) -> NativeName:
        """Return the name of the function at ``start``, an address less the library's base."""
        symbol = next(filter(None, (table.find(start) for table in self._tables)), "")
        clean, library = clean_symbol(symbol), name_library(self._path)
        method = self._methods.get(start)
        own = read_cython_name(clean, library, method.name if method else "")
        if method is not None and not (own and "." not in method.name):
            return NativeName(self._name_method(method), symbol)
        if symbol:
            return NativeName(name_function(self._path, own or demangle(clean)), symbol)
        chosen = self._chosen.get(start)
        if chosen is not None:
            return NativeName(name_function(self._path, chosen), chosen)
        if any(start in stubs for stubs in self._stubs):
            return NativeName(name_function(self._path, _STUB), "")
        member = self._find_member(start)
        return NativeName(
            name_function(self._path, member) if member else name_start(self._path, start), ""
        )

    @property
    def problem(self) -> str:
        """Why lines are missing; "" = no line is missing, or the file has no lines."""
        library = name_library(self._path)
        reason = self._lines.problem if self._lines else ""
        if self._damaged:
            reason = f"{self._damaged} is damaged"
        if reason:
            return f"lines of {library} are missing: {reason}"
        if self._lines and self._lines.missing:
            file = self._lines.missing
            return (
                f"inlined calls of {library} are missing: {file} is not there, or of another build"
            )
        return ""

    def locate(self, address: int) -> list[NativeLine]:
        """Return the lines at an address, less the library's base: that of the innermost inlined
        call first, that of the function itself last; [] = not known."""
        frames = self._lines.find(address) if self._lines else []
        return [
            NativeLine(self._name_inlined(frame.symbol) if number < len(frames) - 1 else "", *frame)
            for number, frame in enumerate(frames)
        ]

    def _find_member(self, start: int) -> str:
        """Return the name of a virtual function or a thread's function; "" = it is known as
        neither."""
        if self._members is None:
            self._members = _read_members(self._elf) if self._elf else {}
        return self._members.get(start, "")

    def _name_inlined(self, symbol: str) -> str:
        clean = clean_symbol(symbol)
        own = read_cython_name(clean, name_library(self._path))
        return name_function(self._path, own or demangle(clean) or _NAMELESS)

    def _name_method(self, method: PythonName) -> str:
        """Return a method's name after its module: an extension module's library, or, because the
        interpreter has many modules in its file, the module that its method tables name."""
        if not is_interpreter(self._path):
            return name_function(self._path, method.name)
        module = method.module or (_BUILTINS if "." in method.name else "")
        return f"{module}: {method.name}" if module else name_function(self._path, method.name)


def _read_members(elf: ElfFile) -> dict[int, str]:
    return {**read_thread_names(elf), **read_class_names(elf)}


def _list_tables(elf: ElfFile, debug: ElfFile | None) -> Iterator[SymbolTable]:
    """Yield the tables of the file, of the symbols packed inside it, and of its debug file."""
    for file in (elf, unpack_inner_symbols(elf), debug):
        if file is not None:
            try:
                yield from read_tables(file)
            except ElfFileError:
                continue  # a damaged table does not hide the others


def _open_lines(
    elf: ElfFile | None, debug: ElfFile | None, path: str, root: str
) -> DebugInfo | None:
    """Return the debug information of the first file that has lines; None = neither has."""
    for file in (elf, debug):
        if file is not None and has_debug_info(file):
            return DebugInfo(file, open_alternative(file, root), path=root + path, root=root)
    return None
