"""A table that paints its rows itself: which cells, where, on which ground."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPixmap, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.tables.painted_table import ROW_PX, PaintedTable
from stackglass_viewer.view.widgets.theme import Theme, load_theme

N_ROWS, N_COLUMNS, WIDTH_PX = 40, 4, 100


class Cells:
    """Notes what it is asked to paint."""

    def __init__(self) -> None:
        self.painted: dict[tuple[int, int], QRect] = {}

    def begin(self, painter: QPainter) -> None:
        self.painted.clear()

    def paint(self, painter: QPainter, row: int, column: int, place: QRect) -> float:
        self.painted[row, column] = QRect(place)
        return 0.0

    def set_theme(self, theme: Theme) -> None:
        """It has no colours."""


@pytest.fixture
def cells() -> Cells:
    return Cells()


@pytest.fixture
def table(qt: QApplication, cells: Cells) -> Iterator[PaintedTable]:
    made = PaintedTable(cells, load_theme("light"), None)
    model = QStandardItemModel(N_ROWS, N_COLUMNS, made)
    made.setModel(model)
    for column in range(N_COLUMNS):
        made.setColumnWidth(column, WIDTH_PX)
    made.resize(3 * WIDTH_PX, 10 * ROW_PX)
    made.show()
    # For Qt's tests the button of a double click stays down: the next move would choose rows.
    QTest.mouseRelease(made.viewport(), Qt.MouseButton.LeftButton)
    yield made
    made.close()
    made.deleteLater()


def point_at(table: PaintedTable, place: QPoint) -> None:
    """By an event of the table's own: a window of another test may be where the pointer goes."""
    viewport, none = table.viewport(), Qt.MouseButton.NoButton
    assert viewport.hasMouseTracking()
    QApplication.processEvents()  # what came before is over
    at, on_screen = QPointF(place), QPointF(viewport.mapToGlobal(place))
    keys = Qt.KeyboardModifier.NoModifier
    move = QMouseEvent(QEvent.Type.MouseMove, at, on_screen, none, none, keys)
    QApplication.sendEvent(viewport, move)


def paint(table: PaintedTable) -> QPixmap:
    return table.viewport().grab()


def ground_of(picture: QPixmap, row: int) -> QColor:
    return picture.toImage().pixelColor(5, row * ROW_PX + ROW_PX // 2)


def test_only_what_is_seen_is_painted(table: PaintedTable, cells: Cells) -> None:
    paint(table)
    rows = {row for row, _ in cells.painted}
    assert 0 in rows
    assert 8 <= len(rows) <= 11
    assert {column for _, column in cells.painted} == {0, 1, 2}
    assert cells.painted[2, 1] == QRect(WIDTH_PX, 2 * ROW_PX, WIDTH_PX, ROW_PX)


def test_hidden_columns_and_rows_above_are_not_painted(table: PaintedTable, cells: Cells) -> None:
    table.setColumnHidden(1, True)
    table.scrollTo(table.model().index(N_ROWS - 1, 0))
    paint(table)
    assert {column for _, column in cells.painted} == {0, 2, 3}
    assert (N_ROWS - 1, 0) in cells.painted
    assert (0, 0) not in cells.painted


def test_a_table_that_is_empty_paints_nothing(table: PaintedTable, cells: Cells) -> None:
    paint(table)
    table.model().removeRows(0, N_ROWS)
    cells.painted.clear()
    paint(table)
    assert not cells.painted


def test_the_chosen_row_and_that_under_the_pointer_stand_out(table: PaintedTable) -> None:
    theme = load_theme("light")
    plain = ground_of(paint(table), 5)
    table.selectRow(2)
    point_at(table, QPoint(30, 4 * ROW_PX + 3))
    picture = paint(table)
    assert ground_of(picture, 2) == QColor(theme.accent_soft)
    assert ground_of(picture, 4) == QColor(theme.hover)
    assert ground_of(picture, 5) == plain
    assert len({plain.name(), theme.hover, theme.accent_soft}) == 3
    QApplication.sendEvent(table, QEvent(QEvent.Type.Leave))
    table.clearSelection()
    picture = paint(table)
    assert ground_of(picture, 2) == ground_of(picture, 4) == plain


def test_scrolling_brings_another_row_under_the_pointer(table: PaintedTable) -> None:
    place = QPoint(70, 4 * ROW_PX + 5)
    point_at(table, place)
    table.verticalScrollBar().setValue(table.verticalScrollBar().value() + 7)
    under = table.rowAt(place.y())
    assert under > 4
    at_px = table.rowViewportPosition(under) + ROW_PX // 2
    ground = paint(table).toImage().pixelColor(5, at_px)
    assert ground == QColor(load_theme("light").hover)


def test_another_theme_has_other_grounds(table: PaintedTable) -> None:
    table.selectRow(0)
    table.set_theme(load_theme("dark"))
    assert ground_of(paint(table), 0) == QColor(load_theme("dark").accent_soft)


def test_the_chosen_row_of_the_table_with_the_focus_is_marked(table: PaintedTable) -> None:
    accent = QColor(load_theme("light").accent)
    table.selectRow(2)
    table.setFocus()
    table.activateWindow()
    QTest.qWaitForWindowActive(table)
    left = QPoint(0, 2 * ROW_PX + ROW_PX // 2)
    assert paint(table).toImage().pixelColor(left) == accent
    table.clearFocus()
    assert paint(table).toImage().pixelColor(left) != accent
