"""Cells that are painted again: the same pixels, with less work."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QColor, QGlyphRun, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.tables.cell_text import CellText

ROW_PX, WIDTH_PX = 26, 120
NUMBERS = ("9.28 ms", "≤12.3 µs", "1\u202f234", "–", "12 345 678 901 234 GiB-seconds")
TEXTS = (
    "f",
    "package.module.Class.method_with_a_long_name",
    "機能.名前",
    "/srv/app/lib/web/views.py:12",
)


class CountingPainter(QPainter):
    """Counts what takes long."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.n_texts = self.n_runs = self.n_pens = 0

    def drawText(self, *arguments: Any) -> None:  # type: ignore[override]
        self.n_texts += 1
        super().drawText(*arguments)

    def drawGlyphRun(self, position: QPointF, run: QGlyphRun) -> None:  # type: ignore[override]
        self.n_runs += 1
        super().drawGlyphRun(position, run)

    def setPen(self, pen: QPen) -> None:  # type: ignore[override]
        self.n_pens += 1
        super().setPen(pen)


def paint(cells: CellText) -> tuple[QImage, CountingPainter, list[float]]:
    pens = QPen(QColor("black")), QPen(QColor("red"))
    image = QImage(4 * WIDTH_PX, 5 * ROW_PX, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter, lacks = CountingPainter(image), []
    cells.begin(painter)
    for column, pen in enumerate(pens):
        for row, text in enumerate(NUMBERS):
            place = QRect(column * WIDTH_PX, row * ROW_PX, WIDTH_PX, ROW_PX)
            lacks.append(cells.paint_number(painter, place, text, pen))
    for column, keeps_end in enumerate((False, True), start=2):
        for row, text in enumerate(TEXTS):
            place = QRect(column * WIDTH_PX, row * ROW_PX, WIDTH_PX, ROW_PX)
            cells.paint_text(painter, place, text, pens[0], keeps_end)
    painter.end()
    return image, painter, lacks


def test_what_is_painted_again_has_the_same_pixels(qt: QApplication) -> None:
    cells = CellText(ROW_PX)
    first, again, third = paint(cells), paint(cells), paint(cells)
    assert first[0] == again[0] == third[0]
    assert first[2] == again[2] == third[2] == [0, 0, 0, 0, pytest.approx(first[2][4])] * 2
    assert first[2][4] > 0


def test_what_is_painted_again_is_not_shaped_again(qt: QApplication) -> None:
    cells = CellText(ROW_PX)
    paint(cells)
    _, painter, _ = paint(cells)
    n_foreign = 2 * len([text for text in TEXTS if "機" in text])
    n_cut = 2  # numbers that do not fit: their columns grow
    assert painter.n_texts <= n_foreign + n_cut + 2 * len(NUMBERS)  # a font may lack signs
    assert painter.n_runs >= 2 * (len(TEXTS) - 1)


def test_texts_of_one_colour_set_one_pen(qt: QApplication) -> None:
    _, painter, _ = paint(CellText(ROW_PX))
    assert painter.n_pens == 3  # black, red, black
