"""Model of the contention table, and the details of a row: stack, delays, holders or waiters."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.contention.table import ContentionTable, DelayHistogram
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.tables.side_models import PairModel, StackModel
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    name_place,
    rank_places,
    rank_texts,
)

MAX_SIDES = 200  # holders or waiters in the details of a row


_LOCK_ABOUT = "The lock's name, else where it was created or first waited for, else its address"


class ContentionField(Field):
    """The columns."""

    TOTAL = Column(
        "Delay", about="Total time waited; the bar, if there is one, is the share of all delay"
    )
    WALL = Column(
        "Of time",
        CellKind.RATIO,
        "Delay as a share of the time span shown; 200% means two threads waiting all the time",
    )
    COUNT = Column(
        "Count", about="Number of waits; the bar, if there is one, is the share of all waits"
    )
    MEAN = Column("Mean", about="Average delay of a wait")
    MAX = Column(
        "Max", about="Longest wait; ≤ marks an upper bound, only the order of magnitude is known"
    )
    NAME = Column("Function", CellKind.NAME)
    PLACE = Column("Line", CellKind.PLACE)
    LOCK = Column("Lock", CellKind.NAME, _LOCK_ABOUT)
    CALL = Column("Call", CellKind.NAME, "The call that waited, or that released the lock")


@dataclass(frozen=True, slots=True)
class RowDetails:
    """Details of the chosen row, or of all rows."""

    title: str
    stack_title: str
    no_stack: str  # text in place of a stack
    pairs_title: str  # "" = this kind has no pairs
    pairs_about: str
    no_pairs: str  # text in place of pairs
    delays: DelayHistogram | None  # None = only totals are known


_WITHOUT_LOCKS = (ContentionKind.GIL, ContentionKind.STALL, ContentionKind.IDLE)
_NO_STACK = "Select a row to see its stack"
_NO_PAIRS = "No holder or waiter recorded. They are recorded while Mutex is on."
_SIDES: dict[ContentionKind | None, tuple[str, str]] = {
    ContentionKind.BLOCK: ("Held by", "Select a row to see the holders it waited for"),
    ContentionKind.MUTEX: ("Waiters", "Select a row to see its waiters"),
}


class ContentionModel(SortedModel[ContentionTable]):
    """One row for each stack, function or lock; at most two thousand rows."""

    details_changed = Signal(object)  # RowDetails

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(ContentionField), parent)
        self.stack = StackModel(self)
        self.pairs = PairModel(self)
        self._chosen: tuple[object, ...] | None = None  # identity of the row, see _identify
        self._wanted_stack = -1  # stack to choose in the next table that has it; -1 = none

    # -- what is shown

    def set_table(self, table: ContentionTable) -> None:
        """Show another table; the chosen row stays chosen, wherever it is now."""
        before = self._table
        if before is None or before.is_by_delay != table.is_by_delay:
            measures = ContentionField.TOTAL, ContentionField.COUNT
            self._follow_measure(measures[0 if table.is_by_delay else 1], measures)
        self._take(table)
        if before is None or before.grouping != table.grouping:
            name = self._fields.index(ContentionField.NAME)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, name, name)
        self._set_summary(self._summarise(table))
        self._choose_wanted(table)
        self.emit_details()

    def want_stack(self, stack: int) -> None:
        """Choose the row of this stack once a table has it."""
        self._wanted_stack = stack

    def _choose_wanted(self, table: ContentionTable) -> None:
        if self._wanted_stack < 0 or table.grouping != "stacks":
            return
        is_there = self._order >= 0
        found = np.flatnonzero((table.key[self._order] == self._wanted_stack) & is_there)
        if len(found):
            self._wanted_stack = -1
            self._chosen = self._identify(int(found[0]))

    def choose(self, row: int) -> None:
        """Show the details of a row; -1 = of all rows."""
        self._chosen = self._identify(row) if 0 <= row < len(self._order) else None
        self.emit_details()

    @property
    def chosen_row(self) -> int:
        """The position of the chosen row; -1 = there is none."""
        return self._find_row(self._chosen) if self._chosen is not None else -1

    @property
    def empty_fields(self) -> tuple[ContentionField, ...]:
        """Columns without data in this table: the GIL has no lock, a file no longest wait."""
        table = self._table
        if table is None:
            return ()
        if not len(table):
            return (ContentionField.LOCK,) if table.grouping == "locks" else ()
        empty = []
        if table.grouping == "locks" or not any(table.lock):
            empty.append(ContentionField.LOCK)
        if not any(table.what):
            empty.append(ContentionField.CALL)
        if not (table.max_ns > 0).any():
            empty.append(ContentionField.MAX)
        return tuple(empty)

    @property
    def has_locks(self) -> bool:
        """Whether waits can be grouped by lock: the GIL is a single one, and stalls have none."""
        return self._table is None or self._table.kind not in _WITHOUT_LOCKS

    def name_at(self, row: int) -> str:
        """Return the function of a row; "" = it has none."""
        found = self._locate(row)
        return "" if found is None or found[0].grouping == "locks" else found[0].name[found[1]]

    def function_at(self, row: int) -> tuple[str, str]:
        """Return the name and the file of a row's function; the name is "" if it has none."""
        found = self._locate(row)
        return (self.name_at(row), "" if found is None else found[0].file[found[1]])

    def lock_at(self, row: int) -> int:
        """Return the lock of a row; -1 = it has none, or several."""
        found = self._locate(row)
        return -1 if found is None else int(found[0].lock_number[found[1]])

    def _identify(self, row: int) -> tuple[object, ...] | None:
        found = self._locate(row)
        if found is None:
            return None
        table, at = found
        return table.kind, table.grouping, int(table.key[at])

    def _identify_all(self) -> list[Hashable]:
        """Return the identities of all rows at once: one by one, two thousand rows took half of the
        time of a refresh."""
        table = self._table
        if table is None:
            return []
        kind, grouping = table.kind, table.grouping
        places, keys = self._order.tolist(), table.key[self._order].tolist()
        pairs = zip(places, keys, strict=True)
        return [(kind, grouping, key) if at >= 0 else None for at, key in pairs]

    def _summarise(self, table: ContentionTable) -> str:
        n_rows = len(table) + table.n_left_out
        what = table.grouping if n_rows != 1 else table.grouping[:-1]
        text = f"{format_count(n_rows)} {what}"
        return f"{text}, the first {format_count(len(table))} shown" if table.n_left_out else text

    def emit_details(self) -> None:
        """Emit the details of the chosen row, or of all rows."""
        table = self._table
        if table is None:
            return
        row = self.chosen_row
        at = int(self._order[row]) if row >= 0 else -1
        self.stack.set_lines(table.list_stack(at) if at >= 0 else [])
        self.pairs.set_sides(table.pairs.list_sides(at, MAX_SIDES) if at >= 0 else [])
        sides, no_pairs = _SIDES.get(table.kind, ("", ""))
        delays = table.find_delays(at)
        if at < 0:
            title, no_stack = ("All rows", _NO_STACK) if len(table) else ("", "")
            no_pairs = no_pairs if len(table) else ""
            self.details_changed.emit(RowDetails(title, "", no_stack, sides, "", no_pairs, delays))
            return
        line = f", line {table.line[at]}" if table.line[at] else ""
        title = f"{table.name[at]}{line}" if table.grouping != "locks" else table.name[at]
        n_stacks = int(table.n_stacks[at])
        stack_title = "Stack" if n_stacks == 1 else f"Largest of {n_stacks} stacks"
        pairs_about = "Double-click: go to its row" if self.pairs.rowCount() else ""
        self.details_changed.emit(
            RowDetails(title, stack_title, "", sides, pairs_about, _NO_PAIRS, delays)
        )

    # -- Qt's interface

    def _make_cell(self, table: ContentionTable, at: int, field: Field) -> Cell:
        match field:
            case ContentionField.TOTAL:
                whole, total = table.total_delay_ns, int(table.total_ns[at])
                bar = total / whole if whole and table.is_by_delay else 0.0
                return Cell(field, total, "nanoseconds", bar=bar)
            case ContentionField.WALL:
                wall = table.wall_ns
                return Cell(field, int(table.total_ns[at]) / wall if wall else -1.0)
            case ContentionField.COUNT:
                whole, count = table.total_count, int(table.count[at])
                bar = count / whole if whole and not table.is_by_delay else 0.0
                return Cell(field, count, "count", bar=bar)
            case ContentionField.MEAN:
                count = int(table.count[at])
                mean = int(table.total_ns[at]) // count if count else 0
                return Cell(field, mean, "nanoseconds")
            case ContentionField.MAX:
                is_bound = bool(table.is_bound[at])
                return Cell(field, int(table.max_ns[at]), "nanoseconds", is_below=is_bound)
            case ContentionField.NAME:
                is_lock = table.grouping == "locks"
                about = table.about_lock[at] if is_lock else ""
                return Cell(field, table.name[at], about=about, keeps_end=True)
            case ContentionField.PLACE:
                return Cell(field, name_place(table.file[at], int(table.line[at])))
            case ContentionField.LOCK:
                return Cell(field, table.lock[at], about=table.about_lock[at], keeps_end=True)
            case _:
                return Cell(field, table.what[at], keeps_end=True)

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
                return "Where the lock was created, else where it was first waited for"
        return super().headerData(section, orientation, role)

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
                keys = rank_places(table.file, table.line)
            case _:
                keys = table.total_ns
        return self._order_by(keys, table.total_ns if table.is_by_delay else table.count)
