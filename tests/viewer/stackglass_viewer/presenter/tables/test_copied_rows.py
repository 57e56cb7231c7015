"""Rows of tables, as they are copied."""

from __future__ import annotations

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.copied_rows import copy_rows
from stackglass_viewer.presenter.tables.side_models import StackModel


def test_rows_are_copied_with_tabs_between_cells() -> None:
    model = StackModel()
    model.set_lines([LineName("load", "app.py", 12)])
    assert copy_rows(model, (0,), (0, 1), has_head=True) == "Function\tLine\nload\tapp.py:12"
    assert copy_rows(model, (1,), (0, 1), has_head=False) == "\t"  # no such row
