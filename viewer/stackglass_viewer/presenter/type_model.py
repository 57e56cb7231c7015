"""The table of Python types: counted objects, blocks in use, and where a type's come from."""

from __future__ import annotations

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

from stackglass_viewer.model.index import Int64s
from stackglass_viewer.model.type_census import TypeTable
from stackglass_viewer.model.units import format_count, format_value
from stackglass_viewer.presenter.heap_model import HeapCell, HeapField, SizeBar, SizeBars

Index = QModelIndex | QPersistentModelIndex

TYPE_FIELDS = (
    HeapField.SIZE,
    HeapField.OBJECTS,
    HeapField.COUNTED,
    HeapField.COUNTED_SIZE,
    HeapField.TYPE,
)
_TEXT_SIDE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBER_SIDE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TITLES = {HeapField.SIZE: "In use", HeapField.OBJECTS: "Blocks"}
_TIPS = {
    HeapField.COUNTED: "Objects that the collector tracks, counted one by one",
    HeapField.COUNTED_SIZE: "What these take themselves, as sys.getsizeof has it",
    HeapField.OBJECTS: "Blocks in use since the heap profiler came, estimated from samples",
    HeapField.SIZE: "What these take, estimated from samples",
}


class TypeModel(QAbstractTableModel):
    """Some thousand rows at most: sorted where it is asked. GUI thread."""

    sites_changed = Signal(object)  # SizeBars
    summary_changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: TypeTable | None = None
        self._order: Int64s = np.empty(0, dtype=np.int64)
        self._field = HeapField.SIZE
        self._is_descending = True
        self._chosen = ""

    def set_table(self, table: TypeTable) -> None:
        """Show another census; the chosen type stays chosen."""
        self.beginResetModel()
        self._table, self._order = table, self._arrange(table)
        self.endResetModel()
        self.summary_changed.emit(describe_census(table))
        self._tell_sites()

    def choose(self, row: int) -> None:
        """Show where this type's blocks come from."""
        table = self._table
        if table is not None and 0 <= row < len(self._order):
            self._chosen = table.name[int(self._order[row])]
            self._tell_sites()

    @property
    def chosen_row(self) -> int:
        """Where the chosen type is now; -1 = nowhere."""
        table = self._table
        if table is None:
            return -1
        names = (table.name[at] for at in self._order.tolist())
        return next((row for row, name in enumerate(names) if name == self._chosen), -1)

    def _tell_sites(self) -> None:
        table, row = self._table, self.chosen_row
        if table is None or row < 0:
            self.sites_changed.emit(SizeBars("Choose a type to see where its blocks come from", ()))
            return
        sites = table.sites[int(self._order[row])]
        most = max((site.size_bytes for site in sites), default=0)
        bars = tuple(
            SizeBar(
                label=f"{site.name}:{site.line}" if site.line else site.name,
                value=site.size_bytes,
                unit="bytes",
                share=site.size_bytes / most if most else 0.0,
            )
            for site in sites
        )
        where = "where sampled blocks in use come from" if bars else "no sampled block in use"
        self.sites_changed.emit(SizeBars(f"{self._chosen}: {where}", bars))

    # -- Qt's questions

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(TYPE_FIELDS)

    def cell(self, row: int, column: int) -> HeapCell | None:
        """What a cell shows; None = there is no such cell. Numbers below zero: there is none."""
        table = self._table
        if table is None or not 0 <= row < len(self._order):
            return None
        at, field = int(self._order[row]), TYPE_FIELDS[column]
        if field is HeapField.TYPE:
            return HeapCell(field, table.name[at], "")
        is_size = field in (HeapField.SIZE, HeapField.COUNTED_SIZE)
        value = int(_column(table, field)[at])
        return HeapCell(field, value, "bytes" if is_size else "count")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or not index.isValid():
            return None
        cell = self.cell(index.row(), index.column())
        return cell.value if cell is not None else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(TYPE_FIELDS):
            return None
        field = TYPE_FIELDS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return _TITLES.get(field, field.value)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS.get(field)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _TEXT_SIDE if field is HeapField.TYPE else _NUMBER_SIDE
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(TYPE_FIELDS):
            return
        self._field = TYPE_FIELDS[column]
        self._is_descending = order == Qt.SortOrder.DescendingOrder
        if self._table is not None:
            self.layoutAboutToBeChanged.emit()
            self._order = self._arrange(self._table)
            self.layoutChanged.emit()

    def _arrange(self, table: TypeTable) -> Int64s:
        if self._field is HeapField.TYPE:
            by_name = sorted(range(len(table)), key=lambda at: table.name[at].casefold())
            order = np.array(by_name, dtype=np.int64)
            return order[::-1] if self._is_descending else order
        keys = _column(table, self._field)
        return np.lexsort((-table.counted_bytes, -keys if self._is_descending else keys))


def _column(table: TypeTable, field: HeapField) -> Int64s:
    match field:
        case HeapField.COUNTED:
            return table.counted
        case HeapField.COUNTED_SIZE:
            return table.counted_bytes
        case HeapField.OBJECTS:
            return table.objects
        case _:
            return table.size_bytes


def describe_census(table: TypeTable) -> str:
    """What was counted, how long it took, and how much the process noticed."""
    if table.problem:
        return table.problem[:1].upper() + table.problem[1:]
    text = (
        f"{format_count(table.n_objects)} objects counted in "
        f"{format_value(table.duration_ns, 'nanoseconds')}, the GIL held for "
        f"{format_value(table.longest_hold_ns, 'nanoseconds')} at most"
    )
    if not table.is_whole:
        text += "; some may be missing, collections came too often"
    if table.n_untold:
        text += f"; {format_count(table.n_untold)} sampled blocks have no names yet"
    return text
