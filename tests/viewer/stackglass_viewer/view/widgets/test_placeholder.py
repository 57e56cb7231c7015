"""What stands in the place of a graph that is not there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.placeholder import paint_placeholder
from stackglass_viewer.view.widgets.theme import load_theme


def list_painted_rows(height_px: int) -> list[int]:
    """Rows of pixels that have letters, of a view of this height within a larger picture."""
    theme = load_theme("light")
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.flame_background))
    painter = QPainter(image)
    words = "Nothing was recorded. " * 4
    paint_placeholder(painter, QRect(0, 100, 400, height_px), theme, "No callers", words)
    painter.end()
    ground = QColor(theme.flame_background)
    return [
        y for y in range(300) if any(image.pixelColor(x, y) != ground for x in range(0, 400, 2))
    ]


@pytest.mark.parametrize("height_px", [24, 40, 90, 160])
def test_nothing_is_cut_off(qt: QApplication, height_px: int) -> None:
    rows = list_painted_rows(height_px)
    assert rows
    assert min(rows) >= 100
    assert max(rows) < 100 + height_px


def test_where_it_is_low_the_title_is_alone(qt: QApplication) -> None:
    low, high = list_painted_rows(40), list_painted_rows(160)
    assert max(low) - min(low) < 20
    assert max(high) - min(high) > 40
