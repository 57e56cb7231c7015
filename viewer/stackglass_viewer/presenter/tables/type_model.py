"""Model of the table of Python types: counted objects, blocks in use, and where those come from."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.heap.type_census import TypeTable
from stackglass_viewer.model.units import format_clock, format_count, format_quantity, format_value
from stackglass_viewer.presenter.tables.heap_model import SizeBar, SizeBars
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    rank_texts,
)

NO_COUNT_YET = "No objects counted yet"


class TypeField(Field):
    """The columns."""

    SIZE = Column("In use", about="Bytes in use, estimated from samples")
    OBJECTS = Column(
        "Blocks", about="Blocks in use, allocated since the attach, estimated from samples"
    )
    COUNTED = Column("Counted", about="Objects that the garbage collector tracks, counted exactly")
    COUNTED_SIZE = Column(
        "Own bytes", about="Size of the counted objects, as sys.getsizeof reports it"
    )
    TYPE = Column("Type", CellKind.NAME)


class TypeModel(SortedModel[TypeTable]):
    """One row for each type; some thousand rows at most."""

    sites_changed = Signal(object)  # SizeBars

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(TypeField), parent)
        self._chosen = ""
        self._moment: int | None = None  # of the census, if it is an earlier one
        self._is_past = False
        self._set_summary(NO_COUNT_YET)

    def set_table(self, table: TypeTable | None, is_past: bool = False) -> None:
        """Show another census; the chosen type stays chosen. None = there is none yet.

        ``is_past``: the census is the last one before an earlier moment.
        """
        moment = table.at_ns if table is not None and is_past else None
        if moment != self._moment:
            self._moment = moment
            self.begin_anew()  # held rows of missing types would be empty
        self._is_past = is_past
        self._take(table)
        self._set_summary(describe_census(table, is_past))
        self._emit_sites()

    @property
    def is_past(self) -> bool:
        """Whether an earlier moment is shown."""
        return self._is_past

    def choose(self, row: int) -> None:
        """Show where the blocks of a row's type were allocated; -1 = of no type."""
        name = self._identify(row)
        if name is not None or row < 0:
            self._chosen = name or ""
            self._emit_sites()

    @property
    def chosen_row(self) -> int:
        """The row of the chosen type; -1 = there is none."""
        return self._find_row(self._chosen) if self._chosen else -1

    def _identify(self, row: int) -> str | None:
        found = self._locate(row)
        return None if found is None else found[0].name[found[1]]

    @property
    def sites(self) -> SizeBars:
        """Where the blocks of the chosen type were allocated."""
        table, row = self._table, self.chosen_row
        if table is None or row < 0:
            return SizeBars("Select a type to see where its blocks were allocated", ())
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
        where = "where sampled blocks in use were allocated" if bars else "no sampled block in use"
        return SizeBars(f"{self._chosen}: {where}", bars)

    def _emit_sites(self) -> None:
        self.sites_changed.emit(self.sites)

    def _make_cell(self, table: TypeTable, at: int, field: Field) -> Cell:
        """Return a cell. Numbers below zero stand for no value."""
        if field is TypeField.TYPE:
            return Cell(field, table.name[at])
        is_size = field in (TypeField.SIZE, TypeField.COUNTED_SIZE)
        value = int(_column(table, field)[at])
        return Cell(field, value, "bytes" if is_size else "count")

    def _arrange(self, table: TypeTable) -> Int64s:
        is_by_name = self._sorted_by is TypeField.TYPE
        keys = rank_texts(table.name) if is_by_name else _column(table, self._sorted_by)
        return self._order_by(keys, table.counted_bytes)


def _column(table: TypeTable, field: Field) -> Int64s:
    match field:
        case TypeField.COUNTED:
            return table.counted
        case TypeField.COUNTED_SIZE:
            return table.counted_bytes
        case TypeField.OBJECTS:
            return table.objects
        case _:
            return table.size_bytes


def describe_census(table: TypeTable | None, is_past: bool = False) -> str:
    """Return what was counted, when, how long it took, and how long the GIL was held."""
    if table is None:
        return "No objects counted up to this moment" if is_past else NO_COUNT_YET
    if table.problem:
        return table.problem[:1].upper() + table.problem[1:]
    when = f" at {format_clock(table.at_ns / 1e9)}" if is_past else ""
    text = (
        f"{format_quantity(table.n_objects, 'object')} counted{when} in "
        f"{format_value(table.duration_ns, 'nanoseconds')}, the GIL held for "
        f"{format_value(table.longest_hold_ns, 'nanoseconds')} at most"
    )
    if not table.is_whole:
        text += "; some may be missing because collections ran too often"
    if table.n_unnamed:
        text += f"; {format_count(table.n_unnamed)} sampled blocks are not symbolized yet"
    return text
