"""The plot of the timeline, in one theme and then in another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.timeline.plot import TimelinePlot
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme


@pytest.fixture
def plot(qt: QApplication) -> Iterator[TimelinePlot]:
    apply_theme(qt, load_theme("dark"))
    made = TimelinePlot()
    made.lay_out()
    made.fill()
    made.add_marks()
    made.set_theme(load_theme("dark"))
    made.resize(600, 200)
    made.show()
    yield made
    made.deleteLater()
    apply_theme(qt, load_theme("light"))


def read_corner(plot: TimelinePlot) -> QColor:
    """Left of the axis of time, where only the background is."""
    image: QImage = plot.grab().toImage()
    return image.pixelColor(2, image.height() - 3)


def test_the_background_follows_the_theme(plot: TimelinePlot, qt: QApplication) -> None:
    """A page that is printed is light for the time of that."""
    assert read_corner(plot).lightness() < 64
    light = load_theme("light")
    apply_theme(qt, light)
    plot.set_theme(light)
    assert read_corner(plot).lightness() > 192
