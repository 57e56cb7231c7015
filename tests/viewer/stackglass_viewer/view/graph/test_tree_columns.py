"""The call tree's columns in wide and narrow panes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.document.tree_model import TreeColumn
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.widgets.theme import load_theme


@pytest.fixture
def view(qt: QApplication) -> Iterator[CallTreeView]:
    made = CallTreeView(load_theme("light"))
    made.show()
    yield made
    made.close()
    made.deleteLater()


def widths_at(view: CallTreeView, width_px: int) -> dict[TreeColumn, int]:
    view.resize(width_px, 300)
    QApplication.processEvents()
    return {column: view.columnWidth(column) for column in TreeColumn}


def test_names_keep_their_width_and_files_shrink_first(view: CallTreeView) -> None:
    wide = widths_at(view, 1100)
    assert wide[TreeColumn.PLACE] == 240
    assert wide[TreeColumn.NAME] == 1100 - 268 - 240
    less = widths_at(view, 720)
    assert 110 <= less[TreeColumn.PLACE] < 240
    assert less[TreeColumn.NAME] == 280
    half = widths_at(view, 610)  # beside another view in a window of 1366 pixels
    assert half[TreeColumn.PLACE] == 0
    assert half[TreeColumn.NAME] == 610 - 268
    assert widths_at(view, 1100) == wide


def test_numbers_are_hidden_next(view: CallTreeView) -> None:
    assert widths_at(view, 450)[TreeColumn.OWN] == 96
    narrow = widths_at(view, 400)
    assert narrow[TreeColumn.OWN] == 0
    assert narrow[TreeColumn.SHARE] == 76
    assert narrow[TreeColumn.NAME] == 400 - 172
    least = widths_at(view, 330)
    assert least[TreeColumn.SHARE] == 0
    assert least[TreeColumn.TOTAL] == 96


def test_a_dragged_column_of_files_keeps_its_width(view: CallTreeView) -> None:
    widths_at(view, 1100)
    view.header().resizeSection(TreeColumn.PLACE, 400)
    assert widths_at(view, 1000)[TreeColumn.PLACE] == 400
    assert widths_at(view, 700)[TreeColumn.PLACE] == 700 - 268 - 180
    assert widths_at(view, 1000)[TreeColumn.PLACE] == 400
