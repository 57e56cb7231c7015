"""Lanes of threads over time: what is written below them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from harness.shop_trace import MS, open_shop
from stackglass.wire.thread_states import RUNNING
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.lanes import list_slices
from stackglass_viewer.model.memory_trace.slices import REGION, STATE, Slice
from stackglass_viewer.presenter.memory_trace.lane_picture import (
    LaneTable,
    draw_lanes,
    lay_out_lanes,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.memory_trace.lanes_view import TraceLanesView
from stackglass_viewer.view.memory_trace.time_view import GUTTER_PX
from stackglass_viewer.view.widgets.theme import load_theme

WINDOW = MapWindow(0, 8 * MS, 0, 1)
TEXT = "37 more lanes are not shown"


@pytest.fixture
def view(qt: QApplication, tmp_path: Path) -> TraceLanesView:
    made = TraceLanesView(open_shop(tmp_path), load_theme("dark"))
    made.resize(GUTTER_PX + 800 + 8, 160)
    made.show_window(WINDOW)
    made.show_palette(choose_palette("module", True))
    return made


def show(view: TraceLanesView, table: LaneTable) -> QImage:
    """Return the right half of the strip below the lanes."""
    view.show_lanes(table)
    span_ns = (WINDOW.begin_ns, WINDOW.end_ns)
    view.show_picture(draw_lanes(table, span_ns, 800, 40))
    whole = view.grab().toImage()
    return whole.copy(QRect(whole.width() // 2, whole.height() - 18, whole.width() // 2, 18))


def count_colours(image: QImage) -> int:
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return len({image.pixel(x, y) for x, y in places})


def test_lanes_that_are_left_out_are_counted_below_the_others(view: TraceLanesView) -> None:
    """At the right of the legend, which is short here."""
    slices = list_slices(view._trace)
    table = lay_out_lanes([*slices, Slice(slices[0].tid, 0, MS, STATE, RUNNING)])
    cut = show(view, replace(table, n_left_out=37))
    assert view.accessibleDescription() == TEXT
    assert count_colours(cut) > 1
    assert count_colours(show(view, table)) == 1
    assert view.accessibleDescription() == ""


def test_they_are_counted_where_there_is_no_legend(view: TraceLanesView) -> None:
    table = lay_out_lanes([Slice(1, 0, MS, REGION, "checkout")])
    assert count_colours(show(view, replace(table, n_left_out=37))) > 1
    assert view.bottom_px == 18
