"""The plot of the timeline, in one theme and then in another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.live.timeline_markers import TimelineMarks
from stackglass_viewer.view.timeline.plot import _KEY_FAST_PX, TimelinePlot
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


def test_a_marker_that_was_not_put_is_at_the_latest_moment(plot: TimelinePlot) -> None:
    """Which is not now in a paused tab, a saved session, or of a process that has ended."""
    name = plot._names["b"]
    for b, text in ((None, "B = latest"), (300.0, "B"), (None, "B = latest")):
        plot.show_marks(TimelineMarks("growth", 100.0, b))
        assert name.toPlainText() == text


def test_a_low_plot_keeps_its_first_row_and_the_time(plot: TimelinePlot, qt: QApplication) -> None:
    """So that a span can be drawn and a marker moved in a low window, too."""
    plot.resize(600, 40)
    qt.processEvents()
    assert [box.isVisible() for box in plot._boxes] == [True, False, False]
    assert plot._memory.boundingRect().height() >= 12
    assert plot._axes[2].isVisible()
    plot.resize(600, 200)
    qt.processEvents()
    assert all(box.isVisible() and box.boundingRect().height() > 20 for box in plot._boxes)


def test_arrows_move_the_marker_or_without_one_the_time(plot: TimelinePlot) -> None:
    moved: list[float] = []
    plot.marker_stepped.connect(lambda px: moved.append(px))
    plot.panned.connect(lambda units: moved.append(units))
    QTest.keyClick(plot, Qt.Key.Key_Right)
    QTest.keyClick(plot, Qt.Key.Key_Left)
    right, left = moved
    assert right == -left > 0
    moved.clear()
    plot.show_marks(TimelineMarks("growth", 100.0, None))
    QTest.keyClick(plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert moved == [-_KEY_FAST_PX]
