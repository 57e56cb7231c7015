"""Models of the small tables beside the contention table: a stack, and holders or waiters."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.contention.pairs import PairSide
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.table_model import Cell, CellKind, Column, Field, TableModel


class SideField(Field):
    """The columns of both tables."""

    TOTAL = Column("Delay", about="Time waited while the lock was held")
    COUNT = Column("Count", about="Number of waits; a wait counts once for each hold during it")
    WHERE = Column("Function and line", CellKind.NAME)
    NAME = Column("Function", CellKind.NAME)
    PLACE = Column("Line", CellKind.PLACE)


class StackModel(TableModel):
    """The lines of a stack, innermost first. They are not sorted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((SideField.NAME, SideField.PLACE), parent)
        self._lines: list[LineName] = []

    def set_lines(self, lines: list[LineName]) -> None:
        if lines == self._lines:
            return

        def put() -> None:
            self._lines = lines

        self._replace(np.arange(len(lines), dtype=np.int64), put)

    def name_at(self, row: int) -> str:
        return self._lines[row].function if 0 <= row < len(self._lines) else ""

    def cell(self, row: int, column: int) -> Cell | None:
        if not 0 <= row < len(self._order):
            return None
        line = self._lines[int(self._order[row])]  # there may be more rows while they are replaced
        field = self._fields[column]
        is_name = field is SideField.NAME
        return Cell(field, line.function if is_name else _place(line), keeps_end=True)

    def _identify(self, row: int) -> int:
        return row

    def _rearrange(self) -> None:
        """Do nothing: a stack has one order."""


class PairModel(TableModel):
    """The holders or waiters of a row, those with most delay first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((SideField.TOTAL, SideField.COUNT, SideField.WHERE), parent)
        self._sides: list[PairSide] = []

    def set_sides(self, sides: list[PairSide]) -> None:
        if sides == self._sides:
            return

        def put() -> None:
            self._sides = sides

        self._replace(np.arange(len(sides), dtype=np.int64), put)

    def stack_at(self, row: int) -> int:
        """Return the stack of a row, a node of the engine; -1 = there is no such row."""
        return self._sides[row].stack if 0 <= row < len(self._sides) else -1

    def cell(self, row: int, column: int) -> Cell | None:
        if not 0 <= row < len(self._order):
            return None
        side, field = self._sides[int(self._order[row])], self._fields[column]
        match field:
            case SideField.TOTAL:
                return Cell(field, side.total_ns, "nanoseconds")
            case SideField.COUNT:
                return Cell(field, side.count, "count")
            case _:
                line = f":{side.line.number}" if side.line.number else ""
                text = side.line.function + line  # there is no room for the file
                return Cell(field, text, about=_place(side.line), keeps_end=True)

    def _identify(self, row: int) -> int:
        return self._sides[int(self._order[row])].stack

    def _rearrange(self) -> None:
        """Do nothing: the rows come in their only order."""


def _place(line: LineName) -> str:
    return f"{line.file}:{line.number}" if line.number else line.file
