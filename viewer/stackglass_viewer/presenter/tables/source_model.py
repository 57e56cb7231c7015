"""Model of annotated source: the lines of a file, with the cost of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.line_costs import LineCosts
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    TableModel,
)

_TAB_WIDTH = 4


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """A source file with its costs, and the line to scroll to."""

    function: str
    file: str  # as the profile names it; "" = unknown
    path: str  # where the file was found; "" = it is not on this machine
    lines: Sequence[str] | None  # None = the file is not on this machine
    costs: LineCosts
    first: int  # the line to scroll to, from 1; 0 = none
    whole: int  # what 100 % is
    unit: str
    is_change: bool = False  # values are differences
    is_newer: bool = False  # the file was changed after the profile was taken
    has_lines: bool = True  # False: costs are of whole functions, at the line of definition

    @property
    def has_samples(self) -> bool:
        """Whether any line of the file has a cost, or a change of its cost may be 0."""
        costs = self.costs
        return bool((costs.cum != 0).any()) or (self.is_change and len(costs.number) > 0)

    @property
    def has_numbers(self) -> bool:
        """Whether the line of any cost is known."""
        return bool((self.costs.number > 0).any())


class SourceField(Field):
    """The columns."""

    FLAT = Column("Flat", about="Cost of the samples that end in this line")
    CUM = Column(
        "Cum", about="Cost of the samples with this line anywhere in their stack; each counts once"
    )
    SHARE = Column("Cum %", CellKind.SHARE, "Share of everything that is shown")
    NUMBER = Column("Line")
    TEXT = Column("Source", CellKind.NAME)


_VALUES = (SourceField.FLAT, SourceField.CUM, SourceField.SHARE)


class SourceModel(TableModel):
    """All lines of a file in their order; without the file, the lines that have costs."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(SourceField), parent)
        self._text: SourceText | None = None
        self._hottest = 0

    @property
    def text(self) -> SourceText | None:
        return self._text

    def show_text(self, text: SourceText | None) -> None:
        """Show another file, or other costs; None = no file is chosen."""

        def put() -> None:
            self._text = text
            self._costs = {} if text is None else _index_costs(text.costs)
            flats = (abs(flat) for flat, _, _ in self._costs.values())
            self._hottest = max(flats, default=0)
            self._of_row = rows

        rows = _list_rows(text)
        self._replace(np.arange(len(rows), dtype=np.int64), put)

    def line_at(self, row: int) -> int:
        """Return the line number of a row; 0 = unknown."""
        return self._of_row[row] if 0 <= row < len(self._of_row) else 0

    def row_of(self, line: int) -> int:
        """Return the row of a line; −1 = there is none."""
        return self._of_row.index(line) if line in self._of_row else -1

    def heat_at(self, row: int) -> float:
        """Return −1 … 1: the flat value of a row, divided by the largest of the file; below
        0 if the value shrank."""
        flat = self._costs.get(self.line_at(row), (0, 0, False))[0]
        return flat / self._hottest if self._hottest else 0.0

    def is_chosen(self, row: int) -> bool:
        """Return whether a line belongs to the chosen function."""
        return self._costs.get(self.line_at(row), (0, 0, False))[2]

    def list_hot(self) -> list[int]:
        """Return the rows with a flat value, the costliest first."""
        hot = sorted(
            (-abs(flat), number) for number, (flat, _, _) in self._costs.items() if flat and number
        )
        return [self.row_of(number) for _, number in hot]

    # -- called by TableModel

    _of_row: Sequence[int] = ()  # line number of each row
    # By line number: flat, cum, whether the line belongs to the chosen function.
    _costs: dict[int, tuple[int, int, bool]] = {}  # noqa: RUF012 - replaced, never changed

    def cell(self, row: int, column: int) -> Cell | None:
        text = self._text
        if text is None or not 0 <= row < len(self._of_row):
            return None
        field, number = self._fields[column], self._of_row[row]
        flat, cum, _ = self._costs.get(number, (0, 0, False))
        if field in _VALUES and number not in self._costs:
            return Cell(field, "")
        match field:
            case SourceField.FLAT:
                return Cell(field, flat, text.unit, is_change=text.is_change, is_signed=True)
            case SourceField.CUM:
                return Cell(field, cum, text.unit, is_change=text.is_change, is_signed=True)
            case SourceField.SHARE:
                share = cum / text.whole if text.whole else 0.0
                return Cell(field, share, is_change=text.is_change)
            case SourceField.NUMBER:
                return Cell(field, str(number) if number else "?")
            case _:
                return Cell(field, self._say_line(text, number))

    def _identify(self, row: int) -> int | None:
        return self.line_at(row)

    def _rearrange(self) -> None:
        """Do nothing: lines keep the order of the file."""

    def _say_line(self, text: SourceText, number: int) -> str:
        if text.lines is None or not 1 <= number <= len(text.lines):
            return ""
        return text.lines[number - 1].rstrip("\r").expandtabs(_TAB_WIDTH)


def _list_rows(text: SourceText | None) -> Sequence[int]:
    """Return the line number of each row; 0 = the row of costs without a known line."""
    if text is None:
        return ()
    known = text.costs.number.tolist()
    if text.lines is None:
        return tuple(known)
    n_lines = len(text.lines)
    rows = range(0 if known and known[0] == 0 else 1, n_lines + 1)
    beyond = [number for number in known if number > n_lines]  # of another version of the file
    return (*rows, *beyond) if beyond else rows


def _index_costs(costs: LineCosts) -> dict[int, tuple[int, int, bool]]:
    columns = (costs.number, costs.flat, costs.cum, costs.is_of_function)
    number, flat, cum, is_of = (column.tolist() for column in columns)
    return {each: row for each, *row in zip(number, flat, cum, is_of, strict=True)}  # type: ignore[misc]


def find_first_line(costs: LineCosts, defined: int) -> int:
    """Return the costliest line of the function; if no line has costs, ``defined``; 0 = unknown."""
    rows = np.flatnonzero(costs.is_of_function & (costs.number > 0))
    if not len(rows):
        return defined
    weight: Int64s = np.abs(costs.cum[rows])
    return int(costs.number[rows[int(np.argmax(weight))]])
