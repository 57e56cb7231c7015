"""The header of a table: painted from a picture that is drawn when its look changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QTableView

from stackglass_viewer.view.tables.header import TableHeader
from stackglass_viewer.view.widgets.theme import load_theme

HEAD = Qt.Orientation.Horizontal


class Header(TableHeader):
    n_painted = 0

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        self.n_painted += 1
        super().paintSection(painter, rect, section)


class Shown:
    """A table of three columns and its header."""

    def __init__(self) -> None:
        self.model = QStandardItemModel(2, 3)
        self.model.setHorizontalHeaderLabels(["Flat", "Cum", "Function"])
        self.table = QTableView()
        self.table.setModel(self.model)
        self.header = Header(load_theme("light"), lambda _: 100, self.table)
        self.table.setHorizontalHeader(self.header)
        self.table.resize(400, 200)
        self.table.show()

    def look(self) -> QImage:
        return self.header.grab().toImage()

    def name(self, title: str) -> None:
        self.model.setHorizontalHeaderItem(0, QStandardItem(title))

    def replace_model(self) -> None:
        """By one that has as many sections."""
        self.other = QStandardItemModel(2, 3)
        self.other.setHorizontalHeaderLabels(["Calls", "Cum", "Function"])
        self.table.setModel(self.other)

    def set_theme(self) -> None:
        self.header.theme = load_theme("dark")

    def embolden(self) -> None:
        font = self.header.font()
        font.setPointSize(font.pointSize() + 4)
        self.header.setFont(font)


@pytest.fixture
def shown(qt: QApplication) -> Iterator[Shown]:
    made = Shown()
    yield made
    made.table.close()


def test_what_looks_the_same_is_drawn_once(shown: Shown) -> None:
    first = shown.look()
    n_painted = shown.header.n_painted
    assert n_painted
    shown.model.setItem(0, 0, QStandardItem("another number"))
    shown.model.layoutChanged.emit()
    assert shown.look() == first
    assert shown.header.n_painted == n_painted


@pytest.mark.parametrize(
    "change",
    [
        lambda shown: shown.name("Self"),
        lambda shown: shown.header.setSortIndicator(1, Qt.SortOrder.DescendingOrder),
        lambda shown: shown.header.resizeSection(0, 150),
        lambda shown: shown.header.hideSection(1),
        lambda shown: shown.header.moveSection(0, 1),
        lambda shown: shown.table.resize(600, 200),
        lambda shown: shown.header.setOffset(40),
        Shown.replace_model,
        Shown.set_theme,
        Shown.embolden,
    ],
)
def test_another_look_is_drawn(shown: Shown, change: Callable[[Shown], object]) -> None:
    first = shown.look()
    n_painted = shown.header.n_painted
    change(shown)
    assert shown.look() != first
    assert shown.header.n_painted > n_painted


def test_the_order_of_the_sorted_column_is_seen(shown: Shown) -> None:
    shown.header.setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    first = shown.look()
    shown.header.setSortIndicator(1, Qt.SortOrder.AscendingOrder)
    assert shown.look() != first


def test_it_is_what_sections_paint(shown: Shown) -> None:
    """Pixel by pixel: section by section upon the ground of the theme."""
    found = shown.look()
    expected = QImage(found.size(), found.format())
    expected.setDevicePixelRatio(found.devicePixelRatio())
    painter = QPainter(expected)
    for section in range(3):
        left, width = (
            shown.header.sectionViewportPosition(section),
            shown.header.sectionSize(section),
        )
        shown.header.paintSection(painter, QRect(left, 0, width, shown.header.height()), section)
    painter.end()
    assert found == expected


def test_titles_of_a_model_that_was_reset_are_new(shown: Shown) -> None:
    first = shown.look()
    shown.model.blockSignals(True)
    shown.name("Self")
    shown.model.blockSignals(False)
    shown.model.beginResetModel()
    shown.model.endResetModel()
    assert shown.look() != first
