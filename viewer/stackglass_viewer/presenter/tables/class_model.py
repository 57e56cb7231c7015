"""Model of size classes: how much of their pools is free, and how many pools are not needed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.memory_trace.fill import ClassFill
from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import Cell, CellKind, Column, Field

_PER_MILLE = 1000


class ClassField(Field):
    """The columns."""

    FREE = Column("Free", about="Bytes of the class's pools that no object holds")
    FREE_SHARE = Column("Free share", CellKind.SHARE, "Of the places in the class's pools")
    SIZE = Column("Size class", about="Bytes that each object takes")
    OBJECTS = Column("Objects")
    LIVE = Column("Requested", about="Bytes that were asked for")
    POOLS = Column("Pools", about="CPython's pools or Go's spans; each is for one size class")
    NEEDED = Column("Needed", about="Pools that would be enough if objects could be moved")


class ClassModel(SortedModel[tuple[ClassFill, ...]]):
    """One row for each size class; at most some hundred rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(ClassField), parent)

    def set_table(self, table: tuple[ClassFill, ...]) -> None:
        """Show the size classes at another moment."""
        self._take(table)
        free = sum(_free(row) for row in table)
        room = sum(row.pool_bytes for row in table)
        text = f"{format_value(free, 'bytes')} free in pools of {format_value(room, 'bytes')}"
        self._set_summary(text if table else "No pools at this moment")

    def _identify(self, row: int) -> int | None:
        found = self._locate(row)
        return None if found is None else found[0][found[1]].size_class

    def _make_cell(self, table: tuple[ClassFill, ...], at: int, field: Field) -> Cell:
        row = table[at]
        match field:
            case ClassField.FREE:
                return Cell(field, _free(row), "bytes")
            case ClassField.FREE_SHARE:
                return Cell(field, row.free_share)
            case ClassField.SIZE:
                return Cell(field, row.size_class, "bytes")
            case ClassField.OBJECTS:
                return Cell(field, row.n_objects, "count")
            case ClassField.LIVE:
                return Cell(field, row.live_bytes, "bytes")
            case ClassField.POOLS:
                return Cell(field, row.n_pools, "count")
            case _:
                return Cell(field, row.n_needed, "count")

    def _arrange(self, table: tuple[ClassFill, ...]) -> Int64s:
        reads: dict[Field, Callable[[ClassFill], int]] = {
            ClassField.FREE: _free,
            ClassField.FREE_SHARE: lambda row: round(row.free_share * _PER_MILLE),
            ClassField.SIZE: lambda row: row.size_class,
            ClassField.OBJECTS: lambda row: row.n_objects,
            ClassField.LIVE: lambda row: row.live_bytes,
            ClassField.POOLS: lambda row: row.n_pools,
            ClassField.NEEDED: lambda row: row.n_needed,
        }
        keys, free = (
            np.array([read(row) for row in table], dtype=np.int64)
            for read in (reads[self._sorted_by], _free)
        )
        return self._order_by(keys, free)


def _free(row: ClassFill) -> int:
    return round(row.pool_bytes * row.free_share)
