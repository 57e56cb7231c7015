"""Model of the block table: the blocks in a cell of the heap map or in an arena."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.live_blocks import BlockFacts
from stackglass_viewer.model.units import format_quantity, make_printable
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    name_place,
    rank_texts,
)

_UNKNOWN = -1  # a lifetime that is not known


class BlockField(Field):
    """The columns."""

    SIZE = Column("Size")
    LIFETIME = Column("Lifetime", about="From birth to death; – = not known")
    TYPE = Column("Type", CellKind.NAME)
    SITE = Column("Allocated by", CellKind.NAME)


@dataclass(frozen=True, slots=True, eq=False)
class BlockTable:
    """Blocks, and for each the line that allocated it. Immutable."""

    blocks: tuple[BlockFacts, ...]
    sites: tuple[LineName, ...]


class BlockModel(SortedModel[BlockTable]):
    """One row for each block; dozens of rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(BlockField), parent)

    def set_table(self, table: BlockTable) -> None:
        """Show other blocks."""
        self._take(table)
        n = len(table.blocks)
        self._set_summary(format_quantity(n, "block"))

    def block_at(self, row: int) -> BlockFacts | None:
        """Return the block of a row; None = there is no such row."""
        found = self._locate(row)
        return None if found is None else found[0].blocks[found[1]]

    def _identify(self, row: int) -> tuple[int, int] | None:
        block = self.block_at(row)
        return None if block is None else (block.address, block.birth_event)

    def _make_cell(self, table: BlockTable, at: int, field: Field) -> Cell:
        block, site = table.blocks[at], table.sites[at]
        match field:
            case BlockField.SIZE:
                return Cell(field, block.size, "bytes")
            case BlockField.LIFETIME:
                return Cell(field, _lifetime(block), "nanoseconds")
            case BlockField.TYPE:
                return Cell(field, make_printable(block.type_name) or "not known")
            case _:
                return Cell(field, name_line(site), about=_spell_out(site))

    def _arrange(self, table: BlockTable) -> Int64s:
        sizes = _column(table, lambda block: block.size)
        match self._sorted_by:
            case BlockField.LIFETIME:
                keys = _column(table, _lifetime)
            case BlockField.TYPE:
                keys = rank_texts([block.type_name for block in table.blocks])
            case BlockField.SITE:
                keys = rank_texts([name_line(site) for site in table.sites])
            case _:
                keys = sizes
        return self._order_by(keys, sizes)


def name_line(site: LineName) -> str:
    """Return a line of code with its function: ``load (app.py:12)``."""
    function = make_printable(site.function)
    if not site.file:
        return function
    return f"{function} ({name_place(make_printable(PurePath(site.file).name), site.number)})"


def _spell_out(site: LineName) -> str:
    place = name_place(make_printable(site.file), site.number) if site.file else ""
    return "\n".join(filter(None, (make_printable(site.function), place)))


def _lifetime(block: BlockFacts) -> int:
    return _UNKNOWN if block.lifetime_ns is None else block.lifetime_ns


def _column(table: BlockTable, read: Callable[[BlockFacts], int]) -> Int64s:
    return np.array([read(block) for block in table.blocks], dtype=np.int64)
