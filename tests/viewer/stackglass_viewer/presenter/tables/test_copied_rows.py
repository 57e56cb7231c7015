"""Rows of tables, as they are copied."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.copied_rows import copy_rows
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.table_model import Cell, CellKind, Column, Field


def test_rows_are_copied_with_tabs_between_cells() -> None:
    model = StackModel()
    model.set_lines([LineName("load", "app.py", 12)])
    assert copy_rows(model, (0,), (0, 1), has_head=True) == "Function\tLine\nload\tapp.py:12"
    assert copy_rows(model, (1,), (0, 1), has_head=False) == "\t"  # no such row


class _Field(Field):
    SUM = Column("Sum")
    SHARE = Column("Share", CellKind.SHARE)
    NAME = Column("Name", CellKind.NAME)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(_Field.SUM, 1_234_567, "count"), "1234567"),
        (Cell(_Field.SUM, -1_234_567, "count", is_change=True), "-1234567"),
        (Cell(_Field.SUM, 0, "nanoseconds"), "0"),
        (Cell(_Field.SUM, -1, "nanoseconds"), "–"),  # not known
        (Cell(_Field.SHARE, 0.0), "0%"),
        (Cell(_Field.NAME, "1\u202f000 π"), "1\u202f000 π"),
    ],
)
def test_numbers_are_copied_as_spreadsheets_read_them(
    cell: Cell, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = StackModel()
    monkeypatch.setattr(model, "copied_cell", lambda _row, _column: cell)
    assert copy_rows(model, (0,), (0,), has_head=False) == text
