"""Texts of cells, as they are painted and as they are copied."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.cell_texts import NOTHING, copy_rows, say_cell
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.table_model import Cell, CellKind, Column, Field


class Sample(Field):
    """One column of each kind."""

    NUMBER = Column("Number")
    SHARE = Column("Share", CellKind.SHARE)
    NAME = Column("Name", CellKind.NAME)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(Sample.NUMBER, 2048, "bytes"), "2.00 KiB"),
        (Cell(Sample.NUMBER, 2048, "bytes", is_below=True), "≤2.00 KiB"),
        (Cell(Sample.NUMBER, 2048, "bytes", is_above=True), "≥2.00 KiB"),
        (Cell(Sample.NUMBER, 2048, "bytes", is_change=True), "+2.00 KiB"),
        (Cell(Sample.NUMBER, -2048, "bytes", is_change=True), "−2.00 KiB"),
        (Cell(Sample.NUMBER, 0, "bytes", is_change=True), NOTHING),
        (Cell(Sample.NUMBER, 0, "bytes"), NOTHING),
        (Cell(Sample.NUMBER, -1, "bytes"), NOTHING),
        (Cell(Sample.SHARE, 0.5), "50.0%"),
        (Cell(Sample.SHARE, -0.5), NOTHING),
        (Cell(Sample.SHARE, -0.5, is_change=True), "50.0%"),
        (Cell(Sample.NAME, "two\nlines"), "two\ufffdlines"),
    ],
)
def test_a_cell_in_words(cell: Cell, text: str) -> None:
    assert say_cell(cell) == text


def test_rows_are_copied_with_tabs_between_cells() -> None:
    model = StackModel()
    model.set_lines([LineName("load", "app.py", 12)])
    assert copy_rows(model, (0,), (0, 1), has_head=True) == "Function\tLine\nload\tapp.py:12"
    assert copy_rows(model, (1,), (0, 1), has_head=False) == "\t"  # no such row
