"""Rows of tables as text for the clipboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt

from stackglass_viewer.presenter.tables.table_model import NOTHING, Cell, TableModel, say_cell


def copy_rows(
    model: TableModel, rows: Iterable[int], columns: Sequence[int], has_head: bool
) -> str:
    """Return a line for each row, with whole names, and tabs between cells. ``has_head``: the first
    line has the titles of the columns."""
    lines = []
    if has_head:
        across = Qt.Orientation.Horizontal
        lines.append([str(model.headerData(column, across) or "") for column in columns])
    for row in rows:
        cells = [model.copied_cell(row, column) for column in columns]
        lines.append([_write_cell(cell) if cell is not None else "" for cell in cells])
    return "\n".join("\t".join(line) for line in lines)


def write_number(text: str) -> str:
    """Return a number as spreadsheets read it: without spaces between thousands, with the minus of
    ASCII, and with a 0 that tables show as a dash."""
    return "0" if text == NOTHING else text.replace("\u202f", "").replace("−", "-")


def _write_cell(cell: Cell) -> str:
    if isinstance(cell.value, str):
        return say_cell(cell)
    text = say_cell(cell)
    is_unknown = text == NOTHING and cell.value != 0
    return text if is_unknown else write_number(text)
