"""Small charts: keys, frames and what a screen reader gets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QToolTip, QWidget

from harness.accessible import find_current, find_part_at, list_parts
from stackglass_viewer.presenter.tables.delay_bars import DelayBar, DelayBars, Strip, StripBar
from stackglass_viewer.presenter.tables.heap_model import SizeBar, SizeBars
from stackglass_viewer.view.contention.delay_chart import DelayChart
from stackglass_viewer.view.contention.waiting_strip import WaitingStrip
from stackglass_viewer.view.heap.size_chart import SizeChart
from stackglass_viewer.view.heap.size_panel import SizePanel
from stackglass_viewer.view.widgets.painted_bars import PaintedBars
from stackglass_viewer.view.widgets.theme import Theme, load_theme

THEME = load_theme("light")
SIZES = SizeBars(
    "Sizes of all blocks",
    (SizeBar("64 B …", 2048, "bytes", 1.0), SizeBar("128 B …", 0, "bytes", 0.0)),
)
DELAYS = DelayBars(
    "All rows",
    tuple(
        DelayBar(20 + n, f"{1 << n} ms", n, str(n), n / 3, f"{1 << n} ms … {2 << n} ms: {n}")
        for n in range(4)
    ),
    "",
)


def make_strip(first_s: int, n_bars: int) -> Strip:
    bars = (
        StripBar(float(at % 2), f"0:{at:02}: " + ("1.00 s waited" if at % 2 else "no waits"))
        for at in range(first_s, first_s + n_bars)
    )
    return Strip(tuple(bars), 10, 1.0, "1 s/s", "last 10 s")


def make_sizes(theme: Theme) -> SizeChart:
    chart = SizeChart(theme, 80)
    chart.show_bars(SIZES)
    return chart


def make_delays(theme: Theme) -> DelayChart:
    chart = DelayChart(theme)
    chart.show_bars(DELAYS)
    return chart


def make_waits(theme: Theme) -> WaitingStrip:
    chart = WaitingStrip(theme)
    chart.show_strip(make_strip(1, 3))
    return chart


@pytest.fixture(params=[make_sizes, make_delays, make_waits])
def chart(qt: QApplication, request: pytest.FixtureRequest) -> Iterator[PaintedBars]:
    made: PaintedBars = request.param(THEME)
    made.resize(400, 120)
    yield made
    made.deleteLater()


def press(chart: QWidget, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(chart, key)


def test_sizes_are_read_by_class(qt: QApplication) -> None:
    chart = make_sizes(THEME)
    assert list_parts(chart) == [("64 B …", "2.00 KiB"), ("128 B …", "–")]
    whole = QAccessible.queryAccessibleInterface(chart)
    assert whole.text(QAccessible.Text.Name) == "Sizes of all blocks"
    assert find_part_at(chart, 10, 30) == "128 B …"
    assert find_part_at(chart, 10, 60) == ""


def test_a_change_of_sizes_is_read_with_its_sign(qt: QApplication) -> None:
    chart = make_sizes(THEME)
    chart.show_bars(SizeBars("Growth", (SizeBar("64 B …", -2048, "bytes", 1.0),), is_change=True))
    assert list_parts(chart) == [("64 B …", "−2.00 KiB")]


def test_delays_are_read_with_both_ends_of_their_class(qt: QApplication) -> None:
    chart = make_delays(THEME)
    chart.resize(400, 120)
    assert list_parts(chart)[:2] == [("1 ms … 2 ms", "0"), ("2 ms … 4 ms", "1")]
    assert find_part_at(chart, 30, 50) == "2 ms … 4 ms"
    assert find_part_at(chart, 390, 50) == ""


def test_why_there_are_no_delays_is_read(qt: QApplication) -> None:
    chart = make_delays(THEME)
    chart.show_bars(DelayBars("", (), "Files have only totals, not individual delays."))
    assert list_parts(chart) == []
    whole = QAccessible.queryAccessibleInterface(chart)
    assert whole.text(QAccessible.Text.Name) == "Delays by length"
    assert whole.text(QAccessible.Text.Description) == (
        "Files have only totals, not individual delays."
    )


def test_waits_are_read_by_second_from_the_newest(qt: QApplication) -> None:
    chart = make_waits(THEME)
    chart.resize(400, 62)
    assert list_parts(chart) == [
        ("0:01", "1.00 s waited"),
        ("0:02", "no waits"),
        ("0:03", "1.00 s waited"),
    ]
    assert find_current(chart) == "0:03"
    room = chart._room
    assert find_part_at(chart, room.right() - 2, 30) == "0:03"
    assert find_part_at(chart, room.left() + 1, 30) == ""
    assert find_part_at(chart, 1, 30) == ""
    assert [chart._find_bar(chart._place_bar(bar).center()) for bar in range(3)] == [0, 1, 2]


def test_a_place_in_the_waits_counts_from_the_newest(qt: QApplication) -> None:
    """The strip grows at its right end until it is full; then every second moves to the left."""
    chart = make_waits(THEME)
    press(chart, Qt.Key.Key_Left)
    assert find_current(chart) == "0:02"
    chart.show_strip(make_strip(1, 4))
    assert find_current(chart) == "0:03"
    chart.show_strip(make_strip(2, 4))
    assert find_current(chart) == "0:04"
    chart.show_strip(None)
    assert (list_parts(chart), find_current(chart)) == ([], "")


def test_keys_move_within_the_bars(chart: PaintedBars) -> None:
    names = [name for name, _ in list_parts(chart)]
    press(chart, Qt.Key.Key_Home)
    assert find_current(chart) == names[0]
    press(chart, Qt.Key.Key_Left)
    assert find_current(chart) == names[0]
    press(chart, Qt.Key.Key_Right)
    assert find_current(chart) == names[1]
    press(chart, Qt.Key.Key_Up)
    assert find_current(chart) == names[0]
    press(chart, Qt.Key.Key_End, Qt.Key.Key_Down)
    assert find_current(chart) == names[-1]


def test_each_bar_is_read_as_keys_reach_it(
    chart: PaintedBars, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda each: sent.append(each.child()))
    press(chart, Qt.Key.Key_Home, Qt.Key.Key_Right)
    assert sent == [0, 1]


def test_only_a_chart_with_bars_is_a_stop_of_tab(qt: QApplication) -> None:
    chart = make_delays(THEME)
    assert chart.focusPolicy() == Qt.FocusPolicy.TabFocus
    chart.show_bars(DelayBars("", (), "none"))
    assert chart.focusPolicy() == Qt.FocusPolicy.NoFocus
    press(chart, Qt.Key.Key_Right)  # nothing to move to


def test_the_bar_of_the_keys_has_a_frame(chart: PaintedBars) -> None:
    chart.show()
    press(chart, Qt.Key.Key_Home)
    chart.clearFocus()
    without = chart.grab().toImage()
    chart.setFocus()
    QApplication.processEvents()
    assert chart.hasFocus()
    framed = chart.grab().toImage()
    changed = [
        (x, y)
        for x in range(framed.width())
        for y in range(framed.height())
        if framed.pixel(x, y) != without.pixel(x, y)
    ]
    left, top = (min(column) for column in np.array(changed).T.tolist())
    right, bottom = (max(column) for column in np.array(changed).T.tolist())
    assert chart._place_bar(0) == QRect(left, top, right - left + 1, bottom - top + 1)
    chart.hide()


def test_keys_show_the_number_that_only_the_tool_tip_has(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _view: said.append(text))
    press(make_delays(THEME), Qt.Key.Key_Right)
    press(make_waits(THEME), Qt.Key.Key_Left)
    press(make_sizes(THEME), Qt.Key.Key_Down)  # its numbers are beside the bars
    assert said == ["2 ms … 4 ms: 1", "0:02: no waits"]


def test_the_row_that_keys_reach_is_scrolled_into_sight(qt: QApplication) -> None:
    panel = SizePanel(THEME, 80)
    bars = tuple(SizeBar(f"{1 << n} B …", n + 1, "bytes", 0.5) for n in range(30))
    panel.show_bars(SizeBars("Sizes", bars))
    panel.resize(400, 200)
    panel.show()
    qt.processEvents()
    (scrolled,) = panel.findChildren(QScrollArea)
    assert not scrolled.focusPolicy() & Qt.FocusPolicy.TabFocus  # the chart is the only stop
    assert scrolled.verticalScrollBar().value() == 0
    press(panel._chart, Qt.Key.Key_End)
    bar = scrolled.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    press(panel._chart, Qt.Key.Key_Home)
    assert bar.value() == 0
    panel.hide()
