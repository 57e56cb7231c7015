"""Packed tables: older rows in packed columns, which are unpacked only while they are read.

::

    young rows ─────────────────────────────┐
    old rows ── pack ─▶ PackedTable ─ unpack ┴─▶ Tables, one after another
                         least and greatest time: tables outside a span stay packed
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy.typing as npt

from stackglass_viewer.model.columns.index import Bools
from stackglass_viewer.model.columns.packed_column import PackedColumn, pack_column


class TimedTable(Protocol):
    """Columns of integers, of equal length."""

    def __len__(self) -> int: ...

    def choose(self, which: Bools) -> Self:
        """Return the rows of a mask."""

    def list_columns(self) -> tuple[npt.NDArray[Any], ...]:
        """Return the columns; the first is the time."""

    @classmethod
    def of_columns(cls, *columns: npt.NDArray[Any]) -> Self:
        """Return a table of the columns that ``list_columns`` returned."""


_Table = TypeVar("_Table", bound=TimedTable)


@dataclass(frozen=True, slots=True, eq=False)
class PackedTable(Generic[_Table]):
    """A table of at least one row, in packed columns. Immutable."""

    kind: type[_Table]
    columns: tuple[PackedColumn, ...]

    def __len__(self) -> int:
        return self.columns[0].n_rows

    @property
    def time(self) -> npt.NDArray[Any]:
        """The column of times, unpacked: (n,)."""
        return self.columns[0].unpack()

    def is_between(self, first: int, last: int) -> bool:
        """Whether the table's times overlap ``first`` … ``last``, both inclusive."""
        return self.columns[0].least <= last and first <= self.columns[0].greatest

    def choose(self, which: Bools) -> PackedTable[_Table]:
        """Return the rows of a mask."""
        return pack_table(self.unpack().choose(which))

    def unpack(self) -> _Table:
        """Return the table that was packed."""
        return self.kind.of_columns(*(column.unpack() for column in self.columns))


def pack_table(table: _Table) -> PackedTable[_Table]:
    """Pack the columns of a table."""
    columns = tuple(pack_column(column) for column in table.list_columns())
    return PackedTable(type(table), columns)


class Tables(Generic[_Table]):
    """A sequence of tables, packed or not. Immutable.

    Iteration unpacks one table at a time, since all together may be ten times as large unpacked.
    """

    __slots__ = ("_tables",)

    def __init__(self, *parts: Iterable[_Table | PackedTable[_Table]]) -> None:
        self._tables: Sequence[_Table | PackedTable[_Table]] = tuple(
            table for part in parts for table in part
        )

    def __iter__(self) -> Iterator[_Table]:
        return (_unpack(table) for table in self._tables)

    def list_by_time(self) -> Iterator[_Table]:
        """Return the tables, ordered by the first time in each."""
        numbered = sorted(range(len(self._tables)), key=lambda at: _find_first(self._tables[at]))
        return (_unpack(self._tables[at]) for at in numbered)

    @property
    def n_rows(self) -> int:
        return sum(len(table) for table in self._tables)

    def list_near(self, first: int, last: int) -> Iterator[_Table]:
        """Return the tables that may have rows from ``first`` to ``last``, with all their rows."""
        for table in self._tables:
            if not isinstance(table, PackedTable) or table.is_between(first, last):
                yield _unpack(table)


def _find_first(table: _Table | PackedTable[_Table]) -> int:
    if isinstance(table, PackedTable):
        return table.columns[0].least
    time = table.list_columns()[0]
    return int(time.min()) if len(time) else 0


def _unpack(table: _Table | PackedTable[_Table]) -> _Table:
    return table.unpack() if isinstance(table, PackedTable) else table
