"""Texts of cells: as they are painted, and as they are copied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt

from stackglass_viewer.model.units import format_change, format_share, format_value, make_printable
from stackglass_viewer.presenter.tables.table_model import Cell, CellKind, TableModel

NOTHING = "–"


def say_cell(cell: Cell) -> str:
    """With its unit; ``NOTHING`` where there is no value."""
    value = cell.value
    if isinstance(value, str):
        return make_printable(value)
    if cell.field.kind in (CellKind.SHARE, CellKind.RATIO):
        if cell.is_change:  # without a sign, as pprof has it: the value beside it has one
            return format_share(abs(value))
        return format_share(value) if value >= 0 or cell.is_signed else NOTHING
    if cell.is_change and value:
        return format_change(value, cell.unit)
    if not value or (value < 0 and not cell.is_signed):
        return NOTHING
    bound = "≤" if cell.is_below else "≥" if cell.is_above else ""
    return bound + format_value(value, cell.unit)


def copy_rows(
    model: TableModel, rows: Iterable[int], columns: Sequence[int], has_head: bool
) -> str:
    """A line a row, as it is shown, but with whole names; tabs between cells."""
    lines = []
    if has_head:
        across = Qt.Orientation.Horizontal
        lines.append([str(model.headerData(column, across) or "") for column in columns])
    for row in rows:
        cells = [model.cell(row, column) for column in columns]
        lines.append([say_cell(cell) if cell is not None else "" for cell in cells])
    return "\n".join("\t".join(line) for line in lines)
