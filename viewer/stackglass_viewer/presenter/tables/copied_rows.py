"""Rows of tables as text for the clipboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt

from stackglass_viewer.presenter.tables.table_model import TableModel, say_cell


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
        lines.append([say_cell(cell) if cell is not None else "" for cell in cells])
    return "\n".join("\t".join(line) for line in lines)
