"""Models of the two tables of allocation sites in a memory trace.

::

    GarbageModel     objects that were freed sooner than a limit, so short-lived
    SurvivorModel    objects that were allocated in the trace and are live at its end

A site is a line of code. Each row has its site's share of the table's sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.site_table import GarbageSite, Site
from stackglass_viewer.model.units import format_quantity, make_printable
from stackglass_viewer.presenter.tables.block_model import name_line
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    name_place,
    rank_texts,
)

_Row = TypeVar("_Row")
_SiteRow = TypeVar("_SiteRow", GarbageSite, Site)


class _SiteModel(SortedModel[tuple[_SiteRow, ...]]):
    """Base of both models: a row for each site, with its share of the sum of one measure."""

    _total = 0  # sum of the measure over all rows

    def _measure(self, row: _SiteRow) -> int:
        """Return the measure of a row: bytes, or a number of objects."""
        raise NotImplementedError

    def set_table(self, table: tuple[_SiteRow, ...]) -> None:
        """Show other sites."""
        self._total = sum(map(self._measure, table))
        self._take(table)
        self._set_summary(_count(len(table)))

    def line_at(self, row: int) -> LineName | None:
        """Return the line of code of a row; None = there is no such row."""
        found = self._locate(row)
        if found is None:
            return None
        table, at = found
        return table[at].line

    def _identify(self, row: int) -> LineName | None:
        return self.line_at(row)

    def _share_of(self, row: _SiteRow) -> float:
        return self._measure(row) / self._total if self._total else 0.0


class GarbageField(Field):
    """Columns of the short-lived objects."""

    SHORT = Column("Short-lived", about="Allocations that were freed sooner than the limit")
    SHARE = Column("Share", CellKind.SHARE, "Of all short-lived allocations")
    BYTES = Column("Bytes", about="Of the short-lived allocations")
    ALL = Column("All", about="Allocations of the site, however long they lived")
    SITE = Column("Allocated by", CellKind.NAME)


class GarbageModel(_SiteModel[GarbageSite]):
    """Sites of short-lived objects."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(GarbageField), parent)

    def _measure(self, row: GarbageSite) -> int:
        return row.n_short

    def _make_cell(self, table: tuple[GarbageSite, ...], at: int, field: Field) -> Cell:
        row = table[at]
        match field:
            case GarbageField.SHORT:
                return Cell(field, row.n_short, "count")
            case GarbageField.SHARE:
                return Cell(field, self._share_of(row))
            case GarbageField.BYTES:
                return Cell(field, row.bytes_short, "bytes")
            case GarbageField.ALL:
                return Cell(field, row.n, "count")
            case _:
                return _site_cell(field, row.line)

    def _arrange(self, table: tuple[GarbageSite, ...]) -> Int64s:
        short = _column(table, lambda row: row.n_short)
        match self._sorted_by:
            case GarbageField.BYTES:
                keys = _column(table, lambda row: row.bytes_short)
            case GarbageField.ALL:
                keys = _column(table, lambda row: row.n)
            case GarbageField.SITE:
                keys = rank_texts([name_line(row.line) for row in table])
            case _:
                keys = short
        return self._order_by(keys, short)


class SurvivorField(Field):
    """Columns of the survivors."""

    SIZE = Column("Bytes", about="Allocated in the trace and live at its end")
    SHARE = Column("Share", CellKind.SHARE, "Of all that survives")
    N = Column("Objects")
    TYPE = Column("Type", CellKind.NAME, "Type of most of the bytes, if known")
    SITE = Column("Allocated by", CellKind.NAME)


class SurvivorModel(_SiteModel[Site]):
    """Sites of objects that were allocated in a trace and are live at its end."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(SurvivorField), parent)

    def _measure(self, row: Site) -> int:
        return row.size

    def _make_cell(self, table: tuple[Site, ...], at: int, field: Field) -> Cell:
        row = table[at]
        match field:
            case SurvivorField.SIZE:
                return Cell(field, row.size, "bytes")
            case SurvivorField.SHARE:
                return Cell(field, self._share_of(row))
            case SurvivorField.N:
                return Cell(field, row.n, "count")
            case SurvivorField.TYPE:
                return Cell(field, make_printable(row.type_name) or "not known")
            case _:
                return _site_cell(field, row.line)

    def _arrange(self, table: tuple[Site, ...]) -> Int64s:
        sizes = _column(table, lambda row: row.size)
        match self._sorted_by:
            case SurvivorField.N:
                keys = _column(table, lambda row: row.n)
            case SurvivorField.TYPE:
                keys = rank_texts([row.type_name for row in table])
            case SurvivorField.SITE:
                keys = rank_texts([name_line(row.line) for row in table])
            case _:
                keys = sizes
        return self._order_by(keys, sizes)


def _site_cell(field: Field, line: LineName) -> Cell:
    found = name_place(make_printable(line.file), line.number) if line.file else ""
    about = "\n".join(filter(None, (make_printable(line.function), found)))
    return Cell(field, name_line(line), about=about)


def _column(rows: Sequence[_Row], read: Callable[[_Row], int]) -> Int64s:
    return np.array([read(row) for row in rows], dtype=np.int64)


def _count(n: int) -> str:
    return format_quantity(n, "site")
