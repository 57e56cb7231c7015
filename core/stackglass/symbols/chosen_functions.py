"""Functions that a library chooses for the processor when it is loaded (IFUNC), ``memcpy`` for one.

The file only names the function that chooses. If this process has loaded the same file, its loader
knows the choice, and on the same machine the program runs the same functions.
"""

from __future__ import annotations

import ctypes
import os

from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.map_rows import read_map
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symbol_table import SymbolTable

_MAX_NAMES = 3


def read_chosen_names(elf: ElfFile, path: str, tables: list[SymbolTable]) -> dict[int, str]:
    """Return names by the addresses of the chosen functions, less the library's base; {} if this
    process has not loaded the same file."""
    symbols = sorted({name for table in tables for name in table.list_indirect()})
    found = _find_loaded(path, elf.identity) if symbols else None
    if found is None:
        return {}
    base, loaded = found
    try:
        library = ctypes.CDLL(loaded, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return {}
    end = max(each.address + each.size for each in elf.sections)
    names: dict[int, list[str]] = {}
    for symbol in symbols:
        start = _find_address(library, symbol) - base
        if 0 < start < end:  # else it is outside the library, in the kernel's vDSO for one
            names.setdefault(start, []).append(symbol)
    return {start: _join(each) for start, each in names.items()}


def _find_loaded(path: str, identity: str) -> tuple[int, str] | None:
    """Return base and path of the file in this process; None = it is not loaded."""
    wanted = path.rpartition("/")[2]
    try:
        rows = read_map("self")
    except OSError:
        return None
    for row in rows:
        name = row[5] if len(row) == 6 else ""
        if name.rpartition("/")[2] == wanted and int(row[2], 16) == 0:
            try:
                if ElfFile(OpenFile(name).read).identity == identity:
                    return int(row[0].partition("-")[0], 16), name
            except (OSError, ElfFileError):
                continue  # the file was deleted or replaced; another row may be the right one
    return None


def _find_address(library: ctypes.CDLL, symbol: str) -> int:
    try:
        function = library[symbol]
    except AttributeError:
        return 0  # hidden by its version
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _join(names: list[str]) -> str:
    """Return at most three names of a function, without their longer forms, and without names that
    begin with an underscore if there are others.

    >>> _join(["__memcpy_chk", "memcpy", "memmove", "memmovef64"])
    'memcpy/memmove'
    """
    plain = [name for name in names if not name.startswith("_")] or names
    short = [
        name
        for name in plain
        if not any(name != other and name.startswith(other) for other in plain)
    ]
    return "/".join(short[:_MAX_NAMES])
