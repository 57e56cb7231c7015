"""The panel of the timeline: the dots beside its readings have the colours of the curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel

from stackglass_viewer.model.metrics.history import MetricsHistory
from stackglass_viewer.model.metrics.lanes import draw_lane
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.timeline.line_dot import LineDot
from stackglass_viewer.view.timeline.panel import TimelinePanel
from stackglass_viewer.view.widgets.theme import Theme, apply_theme, load_theme


@pytest.fixture
def panel(qt: QApplication) -> Iterator[TimelinePanel]:
    apply_theme(qt, load_theme("light"))
    made = TimelinePanel(load_theme("light"))
    made.resize(1200, 300)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def read_dots(panel: TimelinePanel) -> list[QColor]:
    """Return the colour in the middle of each dot of the readings, from the left."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    dots = sorted(panel.findChildren(LineDot, options=direct), key=lambda dot: dot.x())
    return read_colours(dots)


def read_colours(dots: list[LineDot]) -> list[QColor]:
    colours = []
    for dot in dots:
        dot.ensurePolished()
        image, metrics = dot.grab().toImage(), dot.fontMetrics()
        middle = metrics.tightBoundingRect(dot.text()).center()
        base_px = (dot.height() - metrics.height()) // 2 + metrics.ascent()
        colours.append(image.pixelColor(middle.x(), base_px + middle.y()))
    return colours


def list_wanted(theme: Theme) -> list[QColor]:
    return [QColor(colour) for colour in (theme.muted, theme.accent, theme.ok, theme.warning)]


def test_dots_have_the_colours_of_the_theme_without_a_sheet_of_their_own(
    qt: QApplication, panel: TimelinePanel
) -> None:
    QApplication.processEvents()
    assert read_dots(panel) == list_wanted(load_theme("light"))
    apply_theme(qt, load_theme("dark"))
    panel.set_theme(load_theme("dark"))
    QApplication.processEvents()
    assert read_dots(panel) == list_wanted(load_theme("dark"))
    assert not any(label.styleSheet() for label in panel.findChildren(QLabel))


def test_dots_of_lines_that_are_not_chosen_yet_are_as_texts(panel: TimelinePanel) -> None:
    QApplication.processEvents()
    assert set(map(QColor.name, read_colours(panel.lane.findChildren(LineDot)))) == {
        load_theme("light").muted
    }


def test_the_latest_moment_is_the_end_once_the_session_has_ended(panel: TimelinePanel) -> None:
    panel.show_status(LiveStatus("running", 7))
    now = panel._modes.button("now")
    assert (now.text(), now.toolTip()) == ("Now", "Show current data, not a past moment (Esc)")
    panel.show_status(LiveStatus("ended", 7))
    assert now.text() == "At the end"
    assert "at the end of the session" in now.toolTip()


def test_the_latest_moment_of_a_paused_tab_is_the_pause(panel: TimelinePanel) -> None:
    panel.show_paused(True)  # before the first report
    panel.show_status(LiveStatus("running", 7))
    now = panel._modes.button("now")
    assert now.text() == "At the pause"
    panel.show_paused(False)
    assert now.text() == "Now"
    panel.show_paused(True)
    assert now.text() == "At the pause"


def test_missing_metrics_offer_a_rate_only_while_one_can_be_chosen(panel: TimelinePanel) -> None:
    status = LiveStatus("running", 7)
    panel.show_status(status)
    nothing = MetricsHistory().capture()
    panel.lane.show_picture(draw_lane(nothing, "waits", 0, 100, 10))
    note = panel.lane._note
    assert note.text() == "No lock waits recorded. Choose a Locks rate above."
    panel.show_status(replace(status, phase="ended"))
    assert note.text() == "No lock waits recorded."
    panel.lane.show_picture(draw_lane(nothing, "tasks", 0, 100, 10))
    assert note.text() == "No data was recorded."
    panel.show_status(status)
    assert note.text() == "No data yet."
