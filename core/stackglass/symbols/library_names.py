"""Names of one library's functions, from its file: Python's own names, then symbols."""

from __future__ import annotations

from collections.abc import Iterator

from stackglass.symbols.chosen_functions import read_chosen_names
from stackglass.symbols.cython_names import read_cython_name
from stackglass.symbols.debug_file import open_debug_file, unpack_inner_symbols
from stackglass.symbols.demangler import demangle
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.method_tables import PythonName, read_method_names
from stackglass.symbols.names import (
    clean_symbol,
    is_interpreter,
    name_function,
    name_library,
    name_start,
)
from stackglass.symbols.native_code import NativeName
from stackglass.symbols.symbol_table import SymbolTable, read_tables

_STUBS = (".plt", ".plt.sec", ".plt.got")
_STUB = "[plt]"
_BUILTINS = "builtins"


class LibraryNames:
    """Any one thread at a time."""

    __slots__ = ("_chosen", "_methods", "_path", "_stubs", "_tables")

    def __init__(self, path: str, elf: ElfFile | None = None, root: str = "") -> None:
        """``elf`` None: there is no file that is proven to be the library."""
        self._path = path
        self._tables = list(_list_tables(elf, path, root)) if elf else []
        self._chosen = read_chosen_names(elf, path, self._tables) if elf else {}
        self._methods = read_method_names(elf) if elf else {}
        sections = elf.sections if elf else []
        self._stubs = [
            range(each.address, each.address + each.size)
            for each in sections
            if each.name in _STUBS and each.address
        ]

    def name(self, start: int) -> NativeName:
        """The function that starts at ``start``, less the library's base."""
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
        return NativeName(name_start(self._path, start), "")

    def _name_method(self, method: PythonName) -> str:
        """An extension module is its library; the interpreter has many modules in its file."""
        if not is_interpreter(self._path):
            return name_function(self._path, method.name)
        module = method.module or (_BUILTINS if "." in method.name else "")
        return f"{module}: {method.name}" if module else name_function(self._path, method.name)


def _list_tables(elf: ElfFile, path: str, root: str) -> Iterator[SymbolTable]:
    """The most complete table first."""
    for file in (elf, unpack_inner_symbols(elf), open_debug_file(elf, path, root)):
        if file is not None:
            try:
                yield from read_tables(file)
            except ElfFileError:
                continue  # one damaged table does not cost the others
