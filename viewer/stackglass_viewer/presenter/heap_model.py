"""The table of memory: sites or functions, what they hold, and the sizes of a chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from stackglass_viewer.model.heap_sites import HeapTable, SizeHistogram
from stackglass_viewer.model.index import Int64s
from stackglass_viewer.model.units import format_count, format_value

Index = QModelIndex | QPersistentModelIndex

KIND_ROLE = Qt.ItemDataRole.UserRole  # HeapField of a header's section


class HeapField(Enum):
    """A column."""

    SIZE = "Bytes"
    SHARE = "Share"
    OBJECTS = "Objects"
    MEAN = "Mean size"
    NAME = "Function"
    PLACE = "Line"
    COUNTED = "Counted"
    COUNTED_SIZE = "Own bytes"
    TYPE = "Type"


SITE_FIELDS = (
    HeapField.SIZE,
    HeapField.SHARE,
    HeapField.OBJECTS,
    HeapField.MEAN,
    HeapField.NAME,
    HeapField.PLACE,
)
_TEXTS = (HeapField.NAME, HeapField.PLACE)
_TEXT_SIDE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBER_SIDE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ANSWERED = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)


@dataclass(frozen=True, slots=True)
class HeapCell:
    """All that is to be known of one cell in order to paint it."""

    field: HeapField
    value: int | float | str  # shares: of the total, 0 … 1
    unit: str
    is_change: bool = False  # to be written with its sign


@dataclass(frozen=True, slots=True)
class SizeBar:
    """One class of sizes, to be painted."""

    label: str  # ``64 B …``: and more, up to the next
    value: int
    unit: str
    share: float  # of the largest bar, 0 … 1


@dataclass(frozen=True, slots=True)
class SizeBars:
    """A histogram of sizes, to be painted."""

    title: str
    bars: tuple[SizeBar, ...]
    is_change: bool = False  # values are to be written with their signs


class HeapModel(QAbstractTableModel):
    """At most a thousand rows: sorted where it is asked. GUI thread.

    ``DisplayRole`` gives numbers and plain names; delegates take a whole ``cell``.
    """

    sizes_changed = Signal(object)  # SizeBars
    summary_changed = Signal(str)
    column_sorted = Signal(int)  # by the largest of this column, since it is what is counted now

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grouping = "sites"
        self._table: HeapTable | None = None
        self._order: Int64s = np.empty(0, dtype=np.int64)
        self._field = HeapField.SIZE
        self._is_descending = True
        self._chosen: tuple[str, str, int] | None = None  # name, file, line

    # -- what is shown

    def set_table(self, table: HeapTable, grouping: str) -> None:
        """Show other values; the chosen row stays chosen, wherever it is now."""
        self._grouping = grouping
        self._follow_measure(HeapField.SIZE if table.is_by_space else HeapField.OBJECTS)
        self._take(table, self._arrange(table))
        self.summary_changed.emit(self._summarise(table))
        self._tell_sizes()

    def _take(self, table: HeapTable, order: Int64s) -> None:
        """Change values and order in place, so that selection and scrolling stay.

        The rows are first made as many as needed, at the end; then they change places.
        """
        n_old, n_new = len(self._order), len(order)
        held = {index.row(): self._identify(index.row()) for index in self.persistentIndexList()}
        if n_new < n_old:
            self.beginRemoveRows(QModelIndex(), n_new, n_old - 1)
            self._order = self._order[:n_new]
            self.endRemoveRows()
        elif n_new > n_old:
            self.beginInsertRows(QModelIndex(), n_old, n_new - 1)
            self._table, self._order = table, order
            self.endInsertRows()
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        self._table, self._order = table, order
        place = {self._identify(row): row for row in range(n_new)} if before else {}
        after = []
        for index in before:
            row = place.get(held.get(index.row()), -1)
            after.append(self.index(row, index.column()) if row >= 0 else QModelIndex())
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _follow_measure(self, measure: HeapField) -> None:
        """Largest first is by what is counted; another order was asked for and stays."""
        if self._field is not measure and self._field in (HeapField.SIZE, HeapField.OBJECTS):
            is_new = self._table is None or self._table.is_by_space != (measure is HeapField.SIZE)
            if is_new:
                self._field, self._is_descending = measure, True
                self.column_sorted.emit(SITE_FIELDS.index(measure))

    def choose(self, row: int) -> None:
        """Show the sizes of a row; -1 = of all."""
        self._chosen = self._identify(row) if row >= 0 else None
        self._tell_sizes()

    @property
    def chosen_row(self) -> int:
        """Where the chosen row is now; -1 = nowhere."""
        rows = range(len(self._order))
        return next((row for row in rows if self._identify(row) == self._chosen), -1)

    def name_at(self, row: int) -> str:
        """The function of a row; "" = no such row."""
        if self._table is None or not 0 <= row < len(self._order):
            return ""
        return self._table.name[int(self._order[row])]

    def _identify(self, row: int) -> tuple[str, str, int] | None:
        table = self._table
        if table is None:
            return None
        at = int(self._order[row])
        return table.name[at], table.file[at], int(table.line[at])

    def _summarise(self, table: HeapTable) -> str:
        what = "site" if self._grouping == "sites" else "function"
        n_rows = len(table) + table.n_left_out
        text = f"{format_count(n_rows)} {what}{'' if n_rows == 1 else 's'}"
        return f"{text}, the largest {format_count(len(table))} shown" if table.n_left_out else text

    def _tell_sizes(self) -> None:
        table = self._table
        if table is None:
            return
        row = self.chosen_row if self._chosen is not None else -1
        if row < 0:
            self.sizes_changed.emit(describe_sizes("Sizes of all blocks", table.all_sizes, table))
        else:
            at = int(self._order[row])
            title = f"Sizes of blocks of {table.name[at]}"
            if table.line[at]:
                title += f", line {table.line[at]}"
            self.sizes_changed.emit(describe_sizes(title, table.sizes[at], table))

    # -- Qt's questions

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(SITE_FIELDS)

    def cell(self, row: int, column: int) -> HeapCell | None:
        """What a cell shows; None = there is no such cell."""
        table = self._table
        if table is None or not 0 <= row < len(self._order):
            return None
        at = int(self._order[row])
        objects, size_bytes = int(table.objects[at]), int(table.size_bytes[at])
        match SITE_FIELDS[column]:
            case HeapField.SIZE:
                return HeapCell(HeapField.SIZE, size_bytes, "bytes", table.is_change)
            case HeapField.SHARE:
                total = table.total_bytes if table.is_by_space else table.total_objects
                part = size_bytes if table.is_by_space else objects
                return HeapCell(HeapField.SHARE, part / total if total else 0.0, "")
            case HeapField.OBJECTS:
                return HeapCell(HeapField.OBJECTS, objects, "count", table.is_change)
            case HeapField.MEAN:
                return HeapCell(HeapField.MEAN, size_bytes // objects if objects else 0, "bytes")
            case HeapField.NAME:
                return HeapCell(HeapField.NAME, table.name[at], "")
            case _:
                line = f":{table.line[at]}" if table.line[at] else ""
                return HeapCell(HeapField.PLACE, table.file[at] + line, "")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ANSWERED or not index.isValid():
            return None
        cell = self.cell(index.row(), index.column())
        if cell is None or (role == Qt.ItemDataRole.ToolTipRole and cell.field not in _TEXTS):
            return None
        return cell.value

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(SITE_FIELDS):
            return None
        field = SITE_FIELDS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return field.value
        if role == KIND_ROLE:
            return field
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _TEXT_SIDE if field in _TEXTS else _NUMBER_SIDE
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(SITE_FIELDS):
            return
        self._field = SITE_FIELDS[column]
        self._is_descending = order == Qt.SortOrder.DescendingOrder
        if self._table is not None:
            self._take(self._table, self._arrange(self._table))

    def _arrange(self, table: HeapTable) -> Int64s:
        match self._field:
            case HeapField.OBJECTS:
                keys = table.objects
            case HeapField.MEAN:
                keys = table.size_bytes // np.maximum(table.objects, 1)
            case HeapField.NAME:
                keys = _rank([name.casefold() for name in table.name])
            case HeapField.PLACE:
                pairs = zip(table.file, table.line.tolist(), strict=True)
                keys = _rank([f"{file}:{line:09}" for file, line in pairs])
            case _:
                keys = table.size_bytes
        order = np.lexsort((-table.size_bytes, -keys if self._is_descending else keys))
        return np.asarray(order, dtype=np.int64)


def _rank(texts: list[str]) -> Int64s:
    """(n,) the position of each text in alphabetical order."""
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    return np.array([places[text] for text in texts], dtype=np.int64)


def describe_sizes(title: str, sizes: SizeHistogram, table: HeapTable) -> SizeBars:
    """Bars by bytes or by objects, from the smallest blocks to the largest."""
    is_by_space = table.is_by_space
    values = sizes.size_bytes if is_by_space else sizes.objects
    most = int(values.max(initial=0))
    bars = (
        SizeBar(
            label=_say_size(1 << (sizes.first_class + number)),
            value=value,
            unit="bytes" if is_by_space else "count",
            share=max(value, 0) / most if most else 0.0,
        )
        for number, value in enumerate(values.tolist())
    )
    return SizeBars(title, tuple(bars), table.is_change)


def _say_size(least_bytes: int) -> str:
    return format_value(least_bytes, "bytes").replace(".00", "").replace(".0 ", " ") + " …"
