"""Names that functions of machine code get after they were defined.

Python's own name of a function, which the engine learns later, replaces the symbol. Debug
information that is downloaded during the session replaces symbols by better ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stackglass.symbols.names import name_function
from stackglass.symbols.native_code import NativeCode
from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.columns.wire_columns import check_equal
from stackglass_viewer.model.live.tables import Known


class Renamed(NamedTuple):
    """The new name of a function, and where it is defined."""

    text: str
    file: str
    line: int


class FunctionRows(NamedTuple):
    """The functions of a session."""

    strings: list[str]
    name: Int32s  # (n,) string; each function of machine code has a string of its own
    file: Int32s  # (n,) string; for machine code, the library
    native_start: Int64s  # (n,) 0 = no machine code


class KnownNames:
    """The later names so far. Not thread-safe. The methods replace strings in place, and return the
    functions that change their frames."""

    def __init__(self) -> None:
        self.known: Mapping[int, Known] = {}  # by function; never changed
        self._symbols: dict[int, str] = {}  # symbols of functions that may have a Python name
        self._own: dict[int, str] = {}  # Python's own names of functions

    def replace(self, names: Mapping[int, str], rows: FunctionRows) -> dict[int, Renamed]:
        """Replace symbols. ``names``: new symbols by the number of the string that each replaces.
        A function with a Python name keeps it. Returns the functions with a new name."""
        renamed: dict[int, Renamed] = {}
        if not names:
            return renamed
        wanted = np.isin(rows.name, np.fromiter(names, dtype=np.int64, count=len(names)))
        for function in np.flatnonzero(wanted & (rows.native_start > 0)).tolist():
            number = int(rows.name[function])
            if function in self._symbols:
                self._symbols[function] = names[number]
            if function in self._own:
                rows.strings[number] = self._own[function]
            else:
                renamed[function] = Renamed(names[number], rows.strings[rows.file[function]], 0)
        return renamed

    def take(self, columns: Sequence[Int64s], rows: FunctionRows) -> dict[int, Renamed]:
        """Add Python's own names. ``columns``: function, name, file and line, as in a Batch; the
        last row of a function counts. Returns the functions with a new name. Raises WireError if
        the columns differ in length."""
        check_equal(*columns)
        known, renamed = dict(self.known), dict[int, Renamed]()
        for function, name, file, line in zip(*(each.tolist() for each in columns), strict=True):
            path = rows.strings[rows.file[function]]
            number = int(rows.name[function])
            if not rows.native_start[function] or not path:
                continue
            symbol = self._symbols.setdefault(function, rows.strings[number])
            self._own.pop(function, None)
            if rows.strings[name]:
                self._own[function] = name_function(path, rows.strings[name])
            text = rows.strings[number] = self._own.get(function, symbol)
            known[function] = Known(file, line)
            renamed[function] = Renamed(text, rows.strings[file] or path, line)
        self.known = known
        return renamed


def list_natives(rows: FunctionRows, identities: Int32s) -> dict[int, NativeCode]:
    """Return the functions of libraries by the number of the string with their name.
    ``identities``: (n,) the string with the identity of each function's library."""
    found: dict[int, NativeCode] = {}
    for function in np.flatnonzero(rows.native_start > 0).tolist():
        path, identity = rows.strings[rows.file[function]], rows.strings[identities[function]]
        if path:
            start = int(rows.native_start[function])
            found[int(rows.name[function])] = NativeCode(path, identity, start)
    return found
