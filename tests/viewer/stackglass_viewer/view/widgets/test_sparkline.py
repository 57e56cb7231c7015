"""Sparkline: growth rises, noise stays low, one point is no line."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.sparkline import draw_sparkline

WIDTH_PX, HEIGHT_PX = 40, 20


def find_heights(points: tuple[float, ...], least_span: float) -> tuple[int, ...]:
    """Rows from the bottom of the line's left and right end; () = nothing was drawn."""
    image = QImage(WIDTH_PX, HEIGHT_PX, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    place = QRectF(1, 1, WIDTH_PX - 3, HEIGHT_PX - 3)
    draw_sparkline(painter, place, points, least_span, QColor("white"))
    painter.end()
    lit = [
        [y for y in range(HEIGHT_PX) if image.pixelColor(x, y).red() > 60]
        for x in (2, WIDTH_PX - 4)
    ]
    return tuple(HEIGHT_PX - rows[0] for rows in lit if rows)


def test_the_line_rises_with_the_values(qt: QApplication) -> None:
    left, right = find_heights((0.0, 1.0), 1.0)
    assert right - left > HEIGHT_PX / 2
    left, right = find_heights((1000.0, 1010.0), 1.0)  # one per cent more
    assert abs(right - left) <= HEIGHT_PX / 4
    left, right = find_heights((0.0, 0.01), 1.0)
    assert abs(right - left) <= 1
    assert find_heights((1.0,), 1.0) == ()
