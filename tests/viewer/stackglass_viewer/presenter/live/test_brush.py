"""The brush of a process's tab and its timeline: one span in both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from harness.heap_talk import HeapTalk
from stackglass_viewer.presenter.live.brush import tie
from stackglass_viewer.presenter.live.timeline import Timeline
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.settings.span_choice import SpanChoice

MS, S = 1_000_000, 1_000_000_000


@pytest.fixture
def markers(qt: QApplication) -> Iterator[TimelineMarkers]:
    talk = HeapTalk()
    talk.status(1)
    timeline = Timeline(talk.live, choose_palette("module", is_dark=False))
    yield timeline.markers
    timeline.leave()
    timeline.wait()


def test_each_follows_the_other(markers: TimelineMarkers, heard: Any) -> None:
    brush = SpanChoice()
    tie(brush, markers)
    brush.chosen_changed.connect(heard.hear)
    brush.choose((2 * S, 3 * S))
    assert (markers.marks.mode, markers.marks.span) == ("span", (200, 300))
    markers.choose_span(250, 400)
    assert brush.chosen == (2500 * MS, 4 * S)
    brush.drop()
    assert markers.marks.mode == "now"
    markers.choose_span(1, 2)
    markers.choose_mode("now")
    assert heard.values == [
        (2 * S, 3 * S), (2500 * MS, 4 * S), None, (10 * MS, 20 * MS), None,
    ]  # fmt: skip


def test_the_brush_is_of_whole_units(markers: TimelineMarkers, heard: Any) -> None:
    brush = SpanChoice()
    tie(brush, markers)
    brush.chosen_changed.connect(heard.hear)
    brush.choose((2 * S + 1, 2 * S + 2))
    assert brush.chosen == (2 * S, 2 * S + 10 * MS)
    assert heard.values[-1] == brush.chosen


def test_growth_is_no_brush(markers: TimelineMarkers) -> None:
    brush = SpanChoice()
    tie(brush, markers)
    brush.choose((2 * S, 3 * S))
    markers.choose_mode("growth")
    assert brush.chosen is None
    assert markers.marks.mode == "growth"
    brush.drop()
    assert markers.marks.mode == "growth"
