"""Model of the heap table: sites or functions with their memory, and a histogram of block sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.heap.sites import HeapTable, SizeHistogram
from stackglass_viewer.model.units import drop_zeros, format_count, format_quantity, format_value
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


class HeapField(Field):
    """The columns."""

    SIZE = Column("Bytes")
    SHARE = Column("Share", CellKind.SHARE)
    OBJECTS = Column("Objects")
    MEAN = Column("Mean size")
    NAME = Column("Function", CellKind.NAME)
    PLACE = Column("Line", CellKind.PLACE)


@dataclass(frozen=True, slots=True)
class SizeBar:
    """One class of block sizes."""

    label: str  # the sizes of the class: ``64–128 B``
    value: int
    unit: str
    share: float  # of the largest bar, 0 … 1


@dataclass(frozen=True, slots=True)
class SizeBars:
    """A histogram of block sizes, ready to be painted."""

    title: str
    bars: tuple[SizeBar, ...]
    is_change: bool = False  # whether values are written with their signs


class HeapModel(SortedModel[HeapTable]):
    """One row for each site or function; at most a thousand rows."""

    sizes_changed = Signal(object)  # SizeBars

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(HeapField), parent)
        self._grouping = "sites"
        self._chosen: tuple[str, str, int] | None = None  # name, file, line

    # -- what is shown

    def set_table(self, table: HeapTable, grouping: str) -> None:
        """Show another table; the chosen row stays chosen, wherever it is now."""
        self._grouping = grouping
        if self._table is None or self._table.is_by_space != table.is_by_space:
            measures = HeapField.SIZE, HeapField.OBJECTS
            self._follow_measure(measures[0 if table.is_by_space else 1], measures)
        self._take(table)
        self._set_summary(self._summarise(table))
        self.emit_sizes()

    def choose(self, row: int) -> None:
        """Show the block sizes of a row; -1 = of all rows."""
        self._chosen = self._identify(row) if row >= 0 else None
        self.emit_sizes()

    @property
    def chosen_row(self) -> int:
        """The position of the chosen row; -1 = there is none."""
        return self._find_row(self._chosen)

    def name_at(self, row: int) -> str:
        """Return the function of a row; "" = there is no such row."""
        found = self._locate(row)
        return "" if found is None else found[0].name[found[1]]

    def function_at(self, row: int) -> tuple[str, str]:
        """Return the name and the file of a row's function; "" and "" = there is no such row."""
        found = self._locate(row)
        return ("", "") if found is None else (found[0].name[found[1]], found[0].file[found[1]])

    def _identify(self, row: int) -> tuple[str, str, int] | None:
        found = self._locate(row)
        if found is None:
            return None
        table, at = found
        return table.name[at], table.file[at], int(table.line[at])

    def _summarise(self, table: HeapTable) -> str:
        what = "site" if self._grouping == "sites" else "function"
        n_rows = len(table) + table.n_left_out
        text = format_quantity(n_rows, what)
        return f"{text}, the largest {format_count(len(table))} shown" if table.n_left_out else text

    def emit_sizes(self) -> None:
        """Emit ``sizes_changed``, once there is a table."""
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

    def _make_cell(self, table: HeapTable, at: int, field: Field) -> Cell:
        objects, size_bytes = int(table.objects[at]), int(table.size_bytes[at])
        match field:
            case HeapField.SIZE:
                return Cell(HeapField.SIZE, size_bytes, "bytes", table.is_change)
            case HeapField.SHARE:
                total = table.total_bytes if table.is_by_space else table.total_objects
                part = size_bytes if table.is_by_space else objects
                return Cell(HeapField.SHARE, part / total if total else 0.0)
            case HeapField.OBJECTS:
                return Cell(HeapField.OBJECTS, objects, "count", table.is_change)
            case HeapField.MEAN:
                return Cell(HeapField.MEAN, size_bytes // objects if objects else 0, "bytes")
            case HeapField.NAME:
                return Cell(HeapField.NAME, table.name[at])
            case _:
                return Cell(HeapField.PLACE, name_place(table.file[at], int(table.line[at])))

    def _arrange(self, table: HeapTable) -> Int64s:
        match self._sorted_by:
            case HeapField.OBJECTS:
                keys = table.objects
            case HeapField.MEAN:
                n_blocks = np.where(table.objects != 0, table.objects, 1)
                keys = np.where(table.objects != 0, table.size_bytes // n_blocks, 0)
            case HeapField.NAME:
                keys = rank_texts(table.name)
            case HeapField.PLACE:
                keys = rank_places(table.file, table.line)
            case _:
                keys = table.size_bytes
        return self._order_by(keys, table.size_bytes)


def describe_sizes(title: str, sizes: SizeHistogram, table: HeapTable) -> SizeBars:
    """Return bars by bytes or by objects, from the smallest blocks to the largest."""
    is_by_space = table.is_by_space
    values = sizes.size_bytes if is_by_space else sizes.objects
    most = int(values.max(initial=0))
    bars = (
        SizeBar(
            label=_say_sizes(1 << (sizes.first_class + number)),
            value=value,
            unit="bytes" if is_by_space else "count",
            share=max(value, 0) / most if most else 0.0,
        )
        for number, value in enumerate(values.tolist())
    )
    return SizeBars(title, tuple(bars), table.is_change)


def _say_sizes(least_bytes: int) -> str:
    """Return ``4–8 KiB`` or ``512 B–1 KiB``: a class of sizes, whose end is twice its beginning."""
    first, last = (
        drop_zeros(format_value(size, "bytes")) for size in (least_bytes, 2 * least_bytes)
    )
    number, _, unit = first.partition(" ")
    return f"{number if last.endswith(f' {unit}') else first}–{last}"
