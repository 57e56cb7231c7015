"""The bars of all filters: in one row where they fit, and no row without any."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from stackglass_viewer.view.window.chosen_bars import ChosenBars, fill_rows

ROW_PX = 30


class Bar(QWidget):
    """A bar with one chip of some width."""

    def __init__(self, width_px: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.chip = QLabel("x", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.chip)
        self.widen(width_px)

    def widen(self, width_px: int) -> None:
        self.chip.setMinimumSize(QSize(width_px, ROW_PX))

    @property
    def box(self) -> tuple[int, int, int, int]:
        place = self.geometry()
        return place.x(), place.y(), place.width(), place.height()


class Column:
    """A view above three bars."""

    def __init__(self) -> None:
        self.window = QWidget()
        self.window.resize(600, 400)
        self.view = QWidget(self.window)
        self.bars = ChosenBars(self.window)
        self.first, self.second, self.late = (Bar(250, self.window) for _ in range(3))
        column = QVBoxLayout(self.window)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addWidget(self.bars)
        for bar in (self.first, self.second):
            bar.hide()
            self.bars.add(bar)
        self.late.hide()
        self.bars.add(self.late, 1)
        self.window.show()
        self.settle()

    def settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()


@pytest.fixture
def column(qt: QApplication) -> Iterator[Column]:
    made = Column()
    yield made
    made.window.close()
    made.window.deleteLater()


@pytest.mark.parametrize(
    ("widths_px", "want"),
    [
        ((), []),
        ((900,), [[0]]),
        ((200, 200, 200), [[0, 1, 2]]),
        ((200, 200, 201), [[0, 1], [2]]),
        ((900, 100, 100), [[0], [1, 2]]),
        ((100, 900, 100), [[0], [1], [2]]),
    ],
)
def test_a_row_takes_as_many_as_fit(widths_px: tuple[int, ...], want: list[list[int]]) -> None:
    assert list(map(list, fill_rows(widths_px, 600))) == want


def test_bars_stand_beside_each_other_where_they_fit(column: Column) -> None:
    assert (column.bars.height(), column.view.height()) == (0, 400)
    column.second.show()
    column.settle()
    assert column.second.box == (0, 0, 600, ROW_PX)
    assert column.view.height() == 400 - ROW_PX
    column.late.show()
    column.settle()
    assert column.late.box == (0, 0, 250, ROW_PX), "it comes before the second"
    assert column.second.box == (250, 0, 350, ROW_PX)
    column.first.show()
    column.settle()
    assert column.bars.height() == 2 * ROW_PX
    assert (column.first.y(), column.late.y(), column.second.y()) == (0, 0, ROW_PX)
    column.window.resize(800, 400)
    column.settle()
    assert column.bars.height() == ROW_PX
    for bar in (column.first, column.second, column.late):
        bar.hide()
    column.settle()
    assert (column.bars.height(), column.view.height()) == (0, 400)


def test_a_bar_with_more_chips_moves_the_next_one(column: Column) -> None:
    column.first.show()
    column.second.show()
    column.settle()
    assert column.second.box == (250, 0, 350, ROW_PX)
    column.first.widen(400)
    column.settle()
    assert column.first.box == (0, 0, 600, ROW_PX)
    assert column.second.box == (0, ROW_PX, 600, ROW_PX)
