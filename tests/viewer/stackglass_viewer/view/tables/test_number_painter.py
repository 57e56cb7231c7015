"""What the painter of cells draws, by its pixels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.tables.table_model import Cell, CellKind, Column, Field, TableModel
from stackglass_viewer.view.tables.number_painter import NumberPainter
from stackglass_viewer.view.tables.painted_table import ROW_PX
from stackglass_viewer.view.widgets.theme import Theme, load_theme

WIDTH_PX = 120
GROUND = 0xFFFFFFFF


class OneField(Field):
    """A column of each kind."""

    NUMBER = Column("Number")
    SHARE = Column("Share", CellKind.SHARE)
    NAME = Column("Name", CellKind.NAME)
    PLACE = Column("Place", CellKind.PLACE)


class OneCell(TableModel):
    """A table of one cell."""

    def __init__(self, cell: Cell | None) -> None:
        super().__init__(tuple(OneField))
        self._cell = cell

    def cell(self, row: int, column: int) -> Cell | None:
        return self._cell


@pytest.fixture
def theme(qt: QApplication) -> Theme:
    return load_theme("light")


def paint(cell: Cell | None, theme: Theme) -> QImage:
    image = QImage(WIDTH_PX, ROW_PX, QImage.Format.Format_RGB32)
    image.fill(GROUND)
    painter = QPainter(image)
    cells = NumberPainter(OneCell(cell), theme)
    cells.begin(painter)
    cells.paint(painter, 0, 0, QRect(0, 0, WIDTH_PX, ROW_PX))
    painter.end()
    return image


def find_pixels(image: QImage, colour: str) -> list[tuple[int, int]]:
    """Places of exactly this colour."""
    wanted = QColor(colour).rgb()
    return [
        (x, y)
        for y in range(image.height())
        for x in range(image.width())
        if image.pixel(x, y) == wanted
    ]


def painted_columns(image: QImage) -> list[int]:
    """Columns of pixels with something in them."""
    return [
        x
        for x in range(image.width())
        if any(image.pixel(x, y) != GROUND for y in range(image.height()))
    ]


def test_no_cell_is_no_pixel(theme: Theme) -> None:
    assert painted_columns(paint(None, theme)) == []


def test_numbers_stand_to_the_right_and_texts_to_the_left(theme: Theme) -> None:
    number = painted_columns(paint(Cell(OneField.NUMBER, 7, "count"), theme))
    text = painted_columns(paint(Cell(OneField.NAME, "f"), theme))
    assert number[0] > WIDTH_PX / 2
    assert number[-1] > WIDTH_PX - 20
    assert text[-1] < WIDTH_PX / 2
    assert text[0] < 20


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_a_share_has_a_bar_as_wide_as_it_is(theme: Theme, share: float) -> None:
    bar = find_pixels(paint(Cell(OneField.SHARE, share), theme), theme.accent)
    columns = {x for x, _ in bar}
    assert len(columns) == pytest.approx((WIDTH_PX - 20) * share, abs=1)
    assert max(columns) == WIDTH_PX - 11
    assert min(y for _, y in bar) > ROW_PX / 2


def test_a_change_has_a_bar_in_the_colour_of_its_direction(theme: Theme) -> None:
    grown = Cell(OneField.NUMBER, 5, "bytes", is_change=True, bar=0.5, is_signed=True)
    assert find_pixels(paint(grown, theme), theme.grown)
    assert not find_pixels(paint(grown, theme), theme.shrunk)
    shrunk = grown._replace(value=-5)
    assert find_pixels(paint(shrunk, theme), theme.shrunk)
    assert not find_pixels(paint(shrunk, theme), theme.grown)


def test_places_and_missing_values_stand_back_and_what_is_bad_stands_out(theme: Theme) -> None:
    loud = replace(theme, text="#0000ff", muted="#00ff00", danger="#ff0000")
    assert find_hue(paint(Cell(OneField.NAME, "f"), loud)) == "blue"
    assert find_hue(paint(Cell(OneField.NUMBER, 7, "count"), loud)) == "blue"
    assert find_hue(paint(Cell(OneField.PLACE, "f.py"), loud)) == "green"
    assert find_hue(paint(Cell(OneField.NUMBER, 0, "count"), loud)) == "green"
    assert find_hue(paint(Cell(OneField.NAME, "f", is_bad=True), loud)) == "red"


def find_hue(image: QImage) -> str:
    """Of the pixel that differs most from the ground, which is white."""
    places = [(x, y) for x in range(image.width()) for y in range(image.height())]
    colours = [QColor(image.pixel(*place)) for place in places]
    darkest = min(colours, key=lambda each: each.red() + each.green() + each.blue())
    parts = {"red": darkest.red(), "green": darkest.green(), "blue": darkest.blue()}
    return max(parts, key=lambda name: parts[name])


def test_a_name_too_long_keeps_its_end_where_that_says_more(theme: Theme) -> None:
    long = "package.module.Class.method_with_a_long_name"
    head = paint(Cell(OneField.NAME, long), theme)
    tail = paint(Cell(OneField.NAME, long, keeps_end=True), theme)
    assert head != tail
    assert painted_columns(tail)[-1] < WIDTH_PX
