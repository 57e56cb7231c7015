"""Model of allocation rates by type or line of code, over the whole of a memory trace."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.rate_table import RateRow, RateTable
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

_WHOLE_FROM = 100  # objects per second


class RateField(Field):
    """The columns."""

    BYTE_RATE = Column("Bytes/s", about="Allocated per second, over the whole trace")
    SHARE = Column("Share", CellKind.SHARE, "Of all bytes that were allocated")
    OBJECT_RATE = Column("Objects/s", about="Allocated per second, over the whole trace")
    BYTES = Column("Bytes", about="Allocated in the trace")
    OBJECTS = Column("Objects", about="Allocated in the trace")
    NAME = Column("Type or line of code", CellKind.NAME)


class RateModel(SortedModel[RateTable]):
    """One row for each type or line; some hundred rows at most. GUI thread."""

    _total = 0  # bytes in all rows

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(RateField), parent)

    def set_table(self, table: RateTable) -> None:
        """Show other rates."""
        self._total = sum(int(row.size.sum()) for row in table.rows)
        self._take(table)
        n = len(table.rows)
        self._set_summary(format_quantity(n, "row"))

    def line_at(self, row: int) -> LineName | None:
        """Return the line of code of a row; None = the row is a type, or there is no such row."""
        found = self._locate(row)
        return None if found is None else found[0].rows[found[1]].line

    def _identify(self, row: int) -> tuple[str, LineName | None] | None:
        found = self._locate(row)
        if found is None:
            return None
        rates = found[0].rows[found[1]]
        return rates.name, rates.line

    def _make_cell(self, table: RateTable, at: int, field: Field) -> Cell:
        row = table.rows[at]
        n, size = int(row.n.sum()), int(row.size.sum())
        match field:
            case RateField.BYTE_RATE:
                return Cell(field, size / table.lasted_s, "bytes")
            case RateField.SHARE:
                return Cell(field, size / self._total if self._total else 0.0)
            case RateField.OBJECT_RATE:
                return Cell(field, _round(n / table.lasted_s), "count")
            case RateField.BYTES:
                return Cell(field, size, "bytes")
            case RateField.OBJECTS:
                return Cell(field, n, "count")
            case _:
                return _name_cell(field, row)

    def _arrange(self, table: RateTable) -> Int64s:
        reads: dict[Field, Callable[[RateRow], int]] = {
            RateField.OBJECT_RATE: lambda row: int(row.n.sum()),
            RateField.OBJECTS: lambda row: int(row.n.sum()),
        }
        size = np.array([int(row.size.sum()) for row in table.rows], dtype=np.int64)
        if self._sorted_by is RateField.NAME:
            keys = rank_texts([_name_row(row) for row in table.rows])
        elif self._sorted_by in reads:
            read = reads[self._sorted_by]
            keys = np.array([read(row) for row in table.rows], dtype=np.int64)
        else:
            keys = size
        return self._order_by(keys, size)


def _round(rate: float) -> float:
    """Return the rate, without decimals from ``_WHOLE_FROM`` on."""
    return rate if rate < _WHOLE_FROM else round(rate)


def _name_row(row: RateRow) -> str:
    return make_printable(row.name) if row.line is None else name_line(row.line)


def _name_cell(field: Field, row: RateRow) -> Cell:
    line = row.line
    if line is None:
        return Cell(field, _name_row(row))
    found = name_place(make_printable(line.file), line.number) if line.file else ""
    about = "\n".join(filter(None, (make_printable(line.function), found)))
    return Cell(field, _name_row(row), about=about)
