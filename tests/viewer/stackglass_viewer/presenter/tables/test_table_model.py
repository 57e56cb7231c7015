"""Cells of number tables in words, and for screen readers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.table_model import (
    NOTHING,
    Cell,
    CellKind,
    Column,
    Field,
    say_cell,
)


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


def test_screen_readers_get_the_words_that_are_painted() -> None:
    model = StackModel()
    model.set_lines([LineName("load\nall", "app.py", 12)])
    cell = model.index(0, 0)
    assert model.data(cell) == "load\nall"
    assert model.data(cell, Qt.ItemDataRole.AccessibleTextRole) == "load\ufffdall"
