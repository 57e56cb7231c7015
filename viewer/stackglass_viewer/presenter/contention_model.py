"""The table of contention, and what it says of a chosen row: stack, delays, holders or waiters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from stackglass_viewer.model.contention_buckets import ContentionKind
from stackglass_viewer.model.contention_pairs import PairSide
from stackglass_viewer.model.contention_table import ContentionTable, DelayHistogram
from stackglass_viewer.model.index import Int64s
from stackglass_viewer.model.line_names import LineName
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    TableModel,
    rank_texts,
)

MAX_SIDES = 200  # holders or waiters of a row


_LOCK_ABOUT = "Its name, else where it was made or first waited for, else its address"


class ContentionField(Field):
    """A column."""

    TOTAL = Column("Delay", about="Time waited, all waits together; the bar is its share")
    WALL = Column(
        "Of time",
        CellKind.RATIO,
        "Delay as a share of the time looked at; 200% is two threads that wait all the time",
    )
    COUNT = Column("Count", about="How many waits")
    MEAN = Column("Mean", about="Delay of a wait on average")
    MAX = Column("Max", about="The longest wait; ≤ where only its order of magnitude is known")
    NAME = Column("Function", CellKind.NAME)
    PLACE = Column("Line", CellKind.PLACE)
    LOCK = Column("Lock", CellKind.NAME, _LOCK_ABOUT)
    CALL = Column("Call", CellKind.NAME, "What was called to wait, or to release")


class SideField(Field):
    """A column of the small tables beside it."""

    TOTAL = Column("Delay")
    COUNT = Column("Count")
    NAME = Column("Function", CellKind.NAME)
    PLACE = Column("Line", CellKind.PLACE)


@dataclass(frozen=True, slots=True)
class RowDetails:
    """What is told of the chosen row, or of all."""

    title: str
    stack_title: str
    pairs_title: str  # "" = there is nobody else
    pairs_about: str
    delays: DelayHistogram | None  # None = not told apart


_NOBODY = "Known of releases that Mutex records"
_SIDES = {ContentionKind.BLOCK: "Held by", ContentionKind.MUTEX: "Waiters"}


class ContentionModel(TableModel):
    """At most two thousand rows."""

    details_changed = Signal(object)  # RowDetails

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(ContentionField), parent)
        self.stack = StackModel(self)
        self.pairs = PairModel(self)
        self._table: ContentionTable | None = None
        self._chosen: tuple[object, ...] | None = None  # see _identify
        self._wanted_stack = -1  # to be chosen with the next table that has it

    # -- what is shown

    def set_table(self, table: ContentionTable) -> None:
        """Show other values; the chosen row stays chosen, wherever it is now."""
        measure = ContentionField.TOTAL if table.is_by_delay else ContentionField.COUNT
        before = self._table
        is_other = before is None or before.is_by_delay != table.is_by_delay
        counted = (ContentionField.TOTAL, ContentionField.COUNT)
        if is_other and self._sorted_by is not measure and self._sorted_by in counted:
            self._sort_by(measure)
        self._take(table)
        if before is None or before.grouping != table.grouping:
            name = self._fields.index(ContentionField.NAME)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, name, name)
        self.summary_changed.emit(self._summarise(table))
        self._choose_wanted(table)
        self.tell_details()

    def _take(self, table: ContentionTable) -> None:
        def put() -> None:
            self._table = table

        self._replace(self._arrange(table), put)

    def want_stack(self, stack: int) -> None:
        """Choose the row of this stack when it is there."""
        self._wanted_stack = stack

    def _choose_wanted(self, table: ContentionTable) -> None:
        if self._wanted_stack < 0 or table.grouping != "stacks":
            return
        found = np.flatnonzero(table.key[self._order] == self._wanted_stack)
        if len(found):
            self._wanted_stack = -1
            self._chosen = self._identify(int(found[0]))

    def choose(self, row: int) -> None:
        """Tell more of a row; -1 = of all."""
        self._chosen = self._identify(row) if 0 <= row < len(self._order) else None
        self.tell_details()

    @property
    def chosen_row(self) -> int:
        """Where the chosen row is now; -1 = nowhere."""
        return self._find_row(self._chosen) if self._chosen is not None else -1

    @property
    def empty_fields(self) -> tuple[ContentionField, ...]:
        """Columns that tell nothing of what is shown: no lock is behind the GIL."""
        table = self._table
        if table is None or not len(table):
            return ()
        empty = []
        if table.grouping == "locks" or not any(table.lock):
            empty.append(ContentionField.LOCK)
        if not any(table.what):
            empty.append(ContentionField.CALL)
        return tuple(empty)

    def name_at(self, row: int) -> str:
        """The function of a row; "" = it has none."""
        table = self._table
        if table is None or not 0 <= row < len(self._order) or table.grouping == "locks":
            return ""
        return table.name[int(self._order[row])]

    def lock_at(self, row: int) -> int:
        """The lock of a row; -1 = it has none, or several."""
        table = self._table
        if table is None or not 0 <= row < len(self._order):
            return -1
        return int(table.lock_number[int(self._order[row])])

    def _identify(self, row: int) -> tuple[object, ...] | None:
        table = self._table
        if table is None:
            return None
        return table.kind, table.grouping, int(table.key[int(self._order[row])])

    def _summarise(self, table: ContentionTable) -> str:
        n_rows = len(table) + table.n_left_out
        what = table.grouping if n_rows != 1 else table.grouping[:-1]
        text = f"{format_count(n_rows)} {what}"
        return f"{text}, the first {format_count(len(table))} shown" if table.n_left_out else text

    def tell_details(self) -> None:
        """Of the chosen row, or of all."""
        table = self._table
        if table is None:
            return
        row = self.chosen_row
        at = int(self._order[row]) if row >= 0 else -1
        self.stack.set_lines(table.list_stack(at) if at >= 0 else [])
        self.pairs.set_sides(table.pairs.list_sides(at, MAX_SIDES) if at >= 0 else [])
        title, stack_title = "All of them", "Choose a row to see its stack"
        if at >= 0:
            line = f", line {table.line[at]}" if table.line[at] else ""
            title = f"{table.name[at]}{line}" if table.grouping != "locks" else table.name[at]
            n_stacks = int(table.n_stacks[at])
            stack_title = "Its stack" if n_stacks == 1 else f"The largest of {n_stacks} stacks"
        sides = _SIDES.get(table.kind, "") if table.kind is not None else ""
        pairs_about = "Choose a row to see them"
        if at >= 0 and sides:
            is_known = bool(self.pairs.rowCount())
            pairs_about = "Double-click: their row" if is_known else _NOBODY
        delays = table.find_delays(at)
        self.details_changed.emit(RowDetails(title, stack_title, sides, pairs_about, delays))

    # -- Qt's questions

    def cell(self, row: int, column: int) -> Cell | None:
        """What a cell shows; None = there is no such cell."""
        table = self._table
        if table is None or not 0 <= row < len(self._order):
            return None
        at = int(self._order[row])
        count, total = int(table.count[at]), int(table.total_ns[at])
        field = self._fields[column]
        match field:
            case ContentionField.TOTAL:
                whole = table.total_delay_ns
                return Cell(field, total, "nanoseconds", bar=total / whole if whole else 0.0)
            case ContentionField.WALL:
                return Cell(field, total / table.wall_ns if table.wall_ns else -1.0)
            case ContentionField.COUNT:
                return Cell(field, count, "count")
            case ContentionField.MEAN:
                return Cell(field, total // count if count else 0, "nanoseconds")
            case ContentionField.MAX:
                is_bound = bool(table.is_bound[at])
                return Cell(field, int(table.max_ns[at]), "nanoseconds", is_below=is_bound)
            case ContentionField.NAME:
                is_lock = table.grouping == "locks"
                about = table.about_lock[at] if is_lock else ""
                return Cell(field, table.name[at], about=about, keeps_end=is_lock)
            case ContentionField.PLACE:
                line = f":{table.line[at]}" if table.line[at] else ""
                return Cell(field, table.file[at] + line)
            case ContentionField.LOCK:
                return Cell(field, table.lock[at], about=table.about_lock[at], keeps_end=True)
            case _:
                return Cell(field, table.what[at])

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        is_of_locks = self._table is not None and self._table.grouping == "locks"
        is_head = is_of_locks and orientation == Qt.Orientation.Horizontal
        match self._fields[section], role:
            case ContentionField.NAME, Qt.ItemDataRole.DisplayRole if is_head:
                return ContentionField.LOCK.title
            case ContentionField.NAME, Qt.ItemDataRole.ToolTipRole if is_head:
                return _LOCK_ABOUT
            case ContentionField.PLACE, Qt.ItemDataRole.ToolTipRole if is_head:
                return "Where it was made, else where it was first waited for"
        return super().headerData(section, orientation, role)

    def _rearrange(self) -> None:
        if self._table is not None:
            self._take(self._table)

    def _arrange(self, table: ContentionTable) -> Int64s:
        match self._sorted_by:
            case ContentionField.COUNT:
                keys = table.count
            case ContentionField.MEAN:
                keys = table.total_ns // np.maximum(table.count, 1)
            case ContentionField.MAX:
                keys = table.max_ns
            case ContentionField.NAME:
                keys = rank_texts(table.name)
            case ContentionField.LOCK:
                keys = rank_texts(table.lock)
            case ContentionField.CALL:
                keys = rank_texts(table.what)
            case ContentionField.PLACE:
                pairs = zip(table.file, table.line.tolist(), strict=True)
                keys = rank_texts([f"{file}:{line:09}" for file, line in pairs])
            case _:
                keys = table.total_ns
        return self._order_by(keys, table.total_ns if table.is_by_delay else table.count)


class StackModel(TableModel):
    """The lines of a stack, from where it ends to its root; in this order only."""

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
        line = self._lines[row]
        field = self._fields[column]
        return Cell(field, line.function if field is SideField.NAME else _place(line))

    def _identify(self, row: int) -> int:
        return row

    def _rearrange(self) -> None:
        """A stack has one order."""


class PairModel(TableModel):
    """Those that a row had to do with: holders or waiters, the longest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(SideField), parent)
        self._sides: list[PairSide] = []

    def set_sides(self, sides: list[PairSide]) -> None:
        if sides == self._sides:
            return

        def put() -> None:
            self._sides = sides

        self._replace(np.arange(len(sides), dtype=np.int64), put)

    def stack_at(self, row: int) -> int:
        """The engine's node of a row; -1 = there is none."""
        return self._sides[row].stack if 0 <= row < len(self._sides) else -1

    def cell(self, row: int, column: int) -> Cell | None:
        if not 0 <= row < len(self._order):
            return None
        side, field = self._sides[row], self._fields[column]
        match field:
            case SideField.TOTAL:
                return Cell(field, side.total_ns, "nanoseconds")
            case SideField.COUNT:
                return Cell(field, side.count, "count")
            case SideField.NAME:
                return Cell(field, side.line.function)
            case _:
                return Cell(field, _place(side.line))

    def _identify(self, row: int) -> int:
        return self._sides[row].stack

    def _rearrange(self) -> None:
        """The longest first."""


def _place(line: LineName) -> str:
    return f"{line.file}:{line.number}" if line.number else line.file
