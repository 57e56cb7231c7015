"""The chart of allocation rates: brushes of whole bars, keys, words."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from harness.accessible import find_current, list_parts
from harness.shop_trace import MS, open_shop
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.rate_table import list_rates
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.rate_chart import (
    RateChart,
    RateMeasure,
    RateWish,
    draw_rates,
    find_bar,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.memory_trace.rate_legend import RateLegendView
from stackglass_viewer.view.memory_trace.rate_view import RateView
from stackglass_viewer.view.memory_trace.time_view import GUTTER_PX
from stackglass_viewer.view.widgets.theme import load_theme

WINDOW = MapWindow(0, 8 * MS, 0, 1)
LEFT = Qt.MouseButton.LeftButton


def make_chart(folder: Path, measure: RateMeasure, chosen: str = "") -> RateChart:
    trace = open_shop(folder)
    table = list_rates(trace.names, trace.index.rates, trace.index.end.time_ns)
    wish = RateWish(Colouring.TYPE, measure, chosen)
    return draw_rates(table, wish, WINDOW, 800, choose_palette("module", True))


@pytest.fixture
def view(qt: QApplication, tmp_path: Path) -> RateView:
    made = RateView(load_theme("dark"))
    made.resize(GUTTER_PX + 800 + 8, 160)
    made.show_window(WINDOW)
    made.show_chart(make_chart(tmp_path, RateMeasure.BYTES))
    return made


def test_a_drag_is_a_brush_of_whole_bars(view: RateView) -> None:
    brushes: list[tuple[int, int, float, float]] = []
    view.brush_drawn.connect(brushes.append)
    first, last = QPoint(GUTTER_PX + 301, 50), QPoint(GUTTER_PX + 601, 90)
    QTest.mousePress(view, LEFT, pos=first)
    QTest.mouseMove(view, (first + last) / 2)
    QTest.mouseMove(view, last)
    QTest.mouseRelease(view, LEFT, pos=last)
    ((begin_ns, end_ns, *_),) = brushes
    chart = view._chart
    assert chart is not None
    assert {begin_ns, end_ns} <= set(chart.edges_ns.tolist())
    assert begin_ns <= view.to_ns(first.x()) < view.to_ns(last.x()) < end_ns
    assert view.snap(0, 1 << 50) == (0, int(chart.edges_ns[-1]))


def test_enter_brushes_the_bar_at_the_cursor(view: RateView) -> None:
    brushes: list[tuple[int, int, float, float]] = []
    view.brush_drawn.connect(brushes.append)
    view.show_cursor(6 * MS)
    QTest.keyClick(view, Qt.Key.Key_Return)
    ((begin_ns, end_ns, *_),) = brushes
    assert begin_ns <= 6 * MS < end_ns
    assert view.snap(begin_ns, end_ns) == (begin_ns, end_ns)


def test_up_and_down_highlight_group_after_group(view: RateView, tmp_path: Path) -> None:
    chosen: list[str] = []
    view.group_chosen.connect(chosen.append)
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert chosen == ["builtins.bytes", "app.Row"]
    (tmp_path / "again").mkdir()
    view.show_chart(make_chart(tmp_path / "again", RateMeasure.BYTES, "app.Row"))
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert chosen[2:] == ["app.Row"], "the same again: none"
    view.grab()


def test_bars_are_known_to_screen_readers(view: RateView) -> None:
    parts = dict(list_parts(view))
    chart = view._chart
    assert chart is not None
    assert len(parts) == chart.n_bars
    used = [value for value in parts.values() if "most by" in value]
    assert len(used) == 4
    assert used[0].endswith("195 KiB in 1 object, most by builtins.bytes, 100%")
    view.show_cursor(1 * MS)
    assert parts[find_current(view)] == used[0]


def test_the_pointer_says_the_numbers(view: RateView, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _view: said.append(text))
    x = round(view.to_px(1 * MS))
    view.hover(QPointF(x, 150))
    lines = said[-1].splitlines()
    assert lines[1].endswith(": 195 KiB in 1 object")
    assert lines[2] == "builtins.bytes, 100%"
    view.hover(QPointF(round(view.to_px(3 * MS)), 150))
    assert len(said[-1].splitlines()) == 2, "nothing was allocated there"


@pytest.mark.parametrize("measure", list(RateMeasure))
@pytest.mark.parametrize("theme", ["light", "dark", "contrast-light", "contrast-dark"])
def test_bars_stand_where_something_was_allocated(
    view: RateView, theme: str, measure: RateMeasure, tmp_path: Path
) -> None:
    (tmp_path / "again").mkdir()
    chart = make_chart(tmp_path / "again", measure)
    view.set_theme(load_theme(theme))
    view.show_chart(chart)
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()

    def find_colour(time_ns: int) -> int:
        left_ns, right_ns = chart.edges_ns[find_bar(chart, time_ns) :][:2].tolist()
        x = view.to_px((left_ns + right_ns) // 2)
        return image.pixel(int(x * ratio), round((view.picture_rect.bottom() - 8) * ratio))

    colours = [entry.colour for entry in chart.legend.entries]
    assert find_colour(1 * MS) == colours[chart.values[:, find_bar(chart, 1 * MS)].argmax()]
    assert find_colour(3 * MS) not in colours


def test_lines_are_not_offered_without_stacks(qt: QApplication) -> None:
    legend = RateLegendView(load_theme("light"))
    legend.offer_lines(False)
    model = legend._groupings.model()
    assert not model.flags(model.index(1, 0)) & Qt.ItemFlag.ItemIsEnabled
    assert model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsEnabled
