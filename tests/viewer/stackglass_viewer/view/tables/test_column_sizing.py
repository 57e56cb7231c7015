"""Columns of texts in tables of any width."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QApplication, QTableView

from stackglass_viewer.view.tables.column_sizing import ColumnSizing

WIDTHS_PX = (100, 200, 60, 100)  # a number, a text, a number, a text


class Table(QTableView):
    def __init__(self) -> None:
        super().__init__()
        self.verticalHeader().hide()
        self.setModel(QStandardItemModel(3, len(WIDTHS_PX), self))
        for column, width_px in enumerate(WIDTHS_PX):
            self.setColumnWidth(column, width_px)
        self.room = ColumnSizing(self, WIDTHS_PX, (1, 3))

    def share(self, width_px: int) -> list[int]:
        """What the columns are in a table so wide."""
        self.resize(width_px + self.width() - self.viewport().width(), 300)
        self.room.share()
        return [self.columnWidth(column) for column in range(len(WIDTHS_PX))]


@pytest.fixture
def table(qt: QApplication) -> Iterator[Table]:
    made = Table()
    made.resize(500, 300)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_texts_share_what_numbers_leave(table: Table) -> None:
    assert table.share(460) == [100, 200, 60, 100]
    assert table.share(760) == [100, 400, 60, 200]
    assert table.share(400) == [100, 160, 60, 80]


def test_below_a_least_width_the_table_scrolls(table: Table) -> None:
    assert table.share(200) == [100, 120, 60, 60]
    assert table.horizontalScrollBar().maximum() > 0
    assert table.share(760) == [100, 400, 60, 200]
    assert table.horizontalScrollBar().maximum() == 0


def test_a_column_that_was_dragged_keeps_its_width(table: Table) -> None:
    table.share(760)
    table.horizontalHeader().resizeSection(1, 250)
    assert table.columnWidth(3) == 350
    assert table.share(860) == [100, 250, 60, 450]
    table.horizontalHeader().resizeSection(0, 130)
    assert table.share(860) == [130, 250, 60, 420]


def test_a_hidden_column_leaves_its_room(table: Table) -> None:
    table.share(760)
    table.room.show({1: True, 3: False})
    assert table.share(760)[1] == 600
    table.room.show({1: False, 3: True})
    assert table.share(760)[3] == 600
    table.room.show({1: True, 3: True})
    assert table.share(760) == [100, 400, 60, 200]
    assert table.share(460) == [100, 200, 60, 100]  # none was dragged


def test_a_column_that_a_layout_hides_again_was_not_dragged(table: Table) -> None:
    table.share(460)
    table.room.show({3: False})
    table.model().layoutAboutToBeChanged.emit()
    table.model().layoutChanged.emit()
    table.room.show({3: True})
    assert table.share(760) == [100, 400, 60, 200]
