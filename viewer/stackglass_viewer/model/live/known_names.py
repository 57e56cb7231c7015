"""Names that functions of machine code get after they were defined: Python's own, and those of
debug information that was downloaded meanwhile."""

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
    """What a function is called from now on, and where it is defined."""

    text: str
    file: str
    line: int


class FunctionRows(NamedTuple):
    """The functions of a session."""

    strings: list[str]
    name: Int32s  # (n,) string; machine code has one of its own for each function
    file: Int32s  # (n,) string: of machine code its library
    native_start: Int64s  # (n,) 0 = no machine code


class KnownNames:
    """For one thread. Strings are replaced in place; functions to be shown anew are returned."""

    def __init__(self) -> None:
        self.known: Mapping[int, Known] = {}  # by function; never changed
        self._symbols: dict[int, str] = {}  # names that functions have without Python's own
        self._own: dict[int, str] = {}  # Python's own

    def replace(self, names: Mapping[int, str], rows: FunctionRows) -> dict[int, Renamed]:
        """Take other symbols, by the number of the string that each replaces. A name of Python's
        own goes before them. Returns the functions to show anew."""
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
        """Take Python's own names: function, name, file, line, as a Batch has them; the last one of
        a function counts. Returns the functions to show anew. Raises WireError if the columns
        differ in length."""
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
    """Functions of libraries, by the string that is their name. ``identities``: (n,) strings."""
    found: dict[int, NativeCode] = {}
    for function in np.flatnonzero(rows.native_start > 0).tolist():
        path, identity = rows.strings[rows.file[function]], rows.strings[identities[function]]
        if path:
            start = int(rows.native_start[function])
            found[int(rows.name[function])] = NativeCode(path, identity, start)
    return found
