"""Names of addresses in pprof's old formats: the functions, files and lines of each address.

::

    add(0x10, [inlined call, function])  ──▶  address 0x10 │ name, file, line ┐ innermost call first
                                                           │ name, file, line ┘

The names are columns: an object for each address would take twenty times its bytes in the file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt64s
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.native import _loops


class AddressLines(NamedTuple):
    """Lines of (n,) addresses: functions, files and line numbers."""

    start: Int64s  # (n + 1,) where the lines of each address begin in the columns below
    name: Int32s  # number of a text
    file: Int32s
    line: Int64s


class AddressNames:
    """Collects the names of addresses while a file is read. Used by one thread."""

    def __init__(self, *, takes_last: bool = False) -> None:
        """``takes_last``: if an address gets names again, the last names count, not the first."""
        self._takes_last = takes_last
        self._texts = _loops.Texts()
        self._address, self._size = array("Q"), array("i")
        self._name, self._file, self._line = array("i"), array("i"), array("q")

    @property
    def texts(self) -> Sequence[str]:
        """The texts by number."""
        return self._texts

    def number(self, text: str) -> int:
        """Return the number of a text, for `add_columns`."""
        return self._texts.add(text)

    def add(self, address: int, lines: Iterable[Symbol]) -> None:
        """Add the lines of an address, innermost inlined call first."""
        n_before = len(self._name)
        for name, file, line in lines:
            self._name.append(self._texts.add(name))
            self._file.append(self._texts.add(file))
            self._line.append(line)
        self._address.append(address)
        self._size.append(len(self._name) - n_before)

    def add_to_all(self, addresses: UInt64s, symbol: Symbol) -> None:
        """Add the same line to many addresses."""
        n = len(addresses)
        name, file = (
            np.full(n, self._texts.add(text), dtype=np.int32) for text in (symbol.name, symbol.file)
        )
        ones = np.ones(n, dtype=np.int32)
        self.add_columns(addresses, ones, name, file, np.full(n, symbol.line, dtype=np.int64))

    def add_columns(
        self, addresses: UInt64s, sizes: Int32s, names: Int32s, files: Int32s, lines: Int64s
    ) -> None:
        """Add the lines of many addresses. ``addresses``, ``sizes``: (n,) addresses, and the number
        of lines of each. The other columns: all lines, with names and files by number."""
        columns = (self._address, self._size, self._name, self._file, self._line)
        for column, part in zip(columns, (addresses, sizes, names, files, lines), strict=True):
            column.frombytes(np.ascontiguousarray(part).view(np.uint8).data)

    def find(self, addresses: UInt64s) -> AddressLines:
        """Return the lines of addresses; an address without names has no lines."""
        known = np.frombuffer(self._address, dtype=np.uint64)
        sizes = np.frombuffer(self._size, dtype=np.int32)
        order = np.argsort(known, kind="stable")
        if self._takes_last:
            places = np.searchsorted(known, addresses, side="right", sorter=order) - 1
        else:
            places = np.searchsorted(known, addresses, sorter=order)
        places = order[np.clip(places, 0, len(order) - 1)] if len(order) else places
        n_lines = np.zeros(len(addresses), dtype=np.int64)
        is_known = np.zeros(len(addresses), dtype=np.bool_)
        if len(order):
            is_known = known[places] == addresses
            n_lines[is_known] = sizes[places[is_known]]
        start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_lines)])
        begins = (np.cumsum(sizes, dtype=np.int64) - sizes)[places[is_known]]
        moves = np.repeat(begins - start[:-1][is_known], n_lines[is_known])
        taken = np.arange(len(moves), dtype=np.int64) + moves
        names, files = (np.frombuffer(each, np.int32)[taken] for each in (self._name, self._file))
        return AddressLines(start, names, files, np.frombuffer(self._line, dtype=np.int64)[taken])
