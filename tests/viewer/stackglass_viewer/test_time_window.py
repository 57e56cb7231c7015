"""What was when, in the window: threads, calls, a span that holds in every view."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from harness.accessible import find_current, find_part_at, list_parts
from harness.profiles import encode_stacks
from harness.synthetic_engine import MAIN_TID, SyntheticEngine
from harness.timed_files import write_trace
from harness.window_session import WindowSession
from stackglass_viewer import exports
from stackglass_viewer.app import App
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.lanes.panel import TimePanel
from stackglass_viewer.view.lanes.time_axis import AXIS_PX
from stackglass_viewer.view.lanes.view import LANE_PX
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
MS = 1_000_000
SAVED = (100 * MS, 150 * MS)  # when main was in save


class TimeWindow:
    """The tab of a file on its times: main runs for 300 ms, work twice for 50 ms."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        self.app, self.wait_until = app, wait_until
        app.force_view("time")
        app.open_files([str(write_trace(folder / "app.json"))])
        wait_until(lambda: app.window.page is not None)
        ((self.page, self.document),) = app.documents.items()
        app.window.activateWindow()
        wait_until(lambda: self.calls == ["main", "run", "load", "save", "load"])
        wait_until(lambda: self.document.times.picture is not None)

    page: ProfilePage
    document: Document

    @property
    def panel(self) -> TimePanel:
        assert self.page.graphs.times is not None
        return self.page.graphs.times

    @property
    def calls(self) -> list[str]:
        """By depth and time; the thread first."""
        panel = self.page.graphs.times
        scene = panel.chart.scene if panel is not None else None
        return (
            [name_of(scene, int(node)) for node in scene.layout.node] if scene is not None else []
        )

    @property
    def graph_total(self) -> int:
        """Of the flame graph, rounded to ms: calls of a trace lie a little apart."""
        scene = self.document.scene
        return round(scene.total / MS) if scene is not None else 0

    def place_at(self, at_ms: float, lane: int = 0) -> QPoint:
        """In the lanes."""
        view = self.panel.lanes
        names_px = min(180, view.viewport().width() // 3)
        width_px = view.viewport().width() - names_px
        return QPoint(names_px + round(at_ms / 300 * width_px), 20 + 24 * lane + 12)

    def drag(self, begin_ms: float, end_ms: float) -> None:
        port = self.panel.lanes.viewport()
        QTest.mousePress(port, LEFT, pos=self.place_at(begin_ms))
        QTest.mouseMove(port, self.place_at((begin_ms + end_ms) / 2))
        QTest.mouseMove(port, self.place_at(end_ms))
        QTest.mouseRelease(port, LEFT, pos=self.place_at(end_ms))

    def click_call(self, name: str) -> None:
        """In the chart, with the left button."""
        scene, chart = self.panel.chart.scene, self.panel.chart
        assert scene is not None
        box = next(
            at for at, node in enumerate(scene.layout.node) if name_of(scene, int(node)) == name
        )
        middle = (scene.layout.left[box] + scene.layout.right[box]) / 2 / scene.layout.extent
        depth = int(scene.tree.depth[scene.layout.node[box]])
        QTest.mouseClick(chart, LEFT, pos=QPoint(round(middle * chart.width()), 20 * depth + 10))

    def press(self, key: Qt.Key) -> None:
        focused = self.app.window.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key)


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> TimeWindow:
    return TimeWindow(app, tmp_path, wait_until)


def test_threads_stand_above_the_calls_of_the_first(window: TimeWindow) -> None:
    picture = window.document.times.picture
    assert picture is not None
    assert [lane.name for lane in picture.lanes] == ["main", "work"]
    assert window.page.view == "time"
    QTest.mouseClick(window.panel.lanes.viewport(), LEFT, pos=window.place_at(10, lane=1))
    window.wait_until(lambda: window.calls == ["work", "spin", "wait"])


def test_a_span_holds_in_every_view(window: TimeWindow) -> None:
    assert window.graph_total == 400
    window.drag(100, 150)
    window.wait_until(lambda: window.graph_total == 50)
    assert window.page.span_bar.isVisible()
    assert "save" in window.calls
    window.page.show_view("top")
    names = [window.document.top.name_of(window.document.top.function_at(at)) for at in range(2)]
    assert names[0] == "save"
    assert "over 5" in window.document.info.description if window.document.info else False


def test_escape_and_the_chip_show_all_of_the_time(window: TimeWindow) -> None:
    window.document.brush.choose(SAVED)
    window.wait_until(lambda: window.graph_total == 50)
    window.press(KEY.Key_Escape)
    window.wait_until(lambda: window.graph_total == 400)
    assert not window.page.span_bar.isVisible()
    window.document.brush.choose(SAVED)
    window.wait_until(lambda: window.graph_total == 50)
    window.page.span_bar.dropped.emit()
    window.wait_until(lambda: window.graph_total == 400)


def test_back_leads_out_of_a_span_and_forward_into_it(window: TimeWindow) -> None:
    window.drag(100, 150)
    window.wait_until(lambda: window.graph_total == 50)
    chosen = window.document.brush.chosen
    window.page.step_requested.emit(-1)
    window.wait_until(lambda: window.graph_total == 400)
    assert window.document.brush.chosen is None
    window.page.step_requested.emit(1)
    window.wait_until(lambda: window.graph_total == 50)
    assert window.document.brush.chosen == chosen


def test_the_heat_map_stands_in_the_place_of_the_lanes(window: TimeWindow) -> None:
    assert window.panel.heat.picture is None, "it is made when it is looked at"
    window.panel.bar.shape_chosen.emit("heat")
    window.wait_until(lambda: window.panel.heat.picture is not None)
    assert (window.panel.shape, window.panel.heat.isVisible()) == ("heat", True)
    heat = window.panel.heat.picture
    assert heat is not None
    assert heat.heat.heat[0, 3] == pytest.approx(2, abs=0.01), "both threads from 60 to 80 ms"
    QTest.keyClick(window.panel.heat, KEY.Key_Right)
    window.wait_until(lambda: window.document.brush.chosen is not None)
    window.wait_until(lambda: window.graph_total == 40)


def test_a_call_selects_its_function_everywhere(window: TimeWindow) -> None:
    window.click_call("save")
    assert window.document.top.name_of(window.document.selection.function) == "save"
    window.press(KEY.Key_Escape)
    assert window.panel.chart.selected == -1


def test_search_goes_to_the_longest_call(window: TimeWindow) -> None:
    window.page.search.set_pattern("load")
    window.wait_until(lambda: window.document.search.matches is not None)
    window.document.search.step(1)
    scene, chart = window.panel.chart.scene, window.panel.chart
    window.wait_until(lambda: chart.selected > 0)
    assert scene is not None
    assert name_of(scene, chart.selected) == "load"
    assert int(scene.values.total[chart.selected]) == pytest.approx(150 * MS, rel=0.01)
    window.panel.go_to(-1, "gone")
    assert window.panel.bar.text == "gone is not among the calls of this thread and time."


def test_the_menu_of_a_call_leads_to_its_function(window: TimeWindow) -> None:
    window.click_call("save")
    window.panel.chart.menu_requested.emit(window.panel.chart.selected, QPoint(10, 10))
    (menu,) = window.panel.findChildren(FunctionMenu)
    texts = [action.text() for action in menu.actions() if action.text()]
    assert "&Filter" in texts
    filters = next(each for each in menu.findChildren(QMenu) if "Filter" in each.title())
    next(a for a in filters.actions() if a.text().startswith("&Only stacks")).trigger()
    menu.close()
    window.wait_until(lambda: window.calls == ["main", "run", "save"])


def test_keys_copy_a_stack_and_open_the_sandwich(window: TimeWindow) -> None:
    window.click_call("save")
    QTest.keyClick(window.panel.chart, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "save\nrun"
    QTest.keyClick(window.panel.chart, KEY.Key_C)
    assert window.page.view == "sandwich"


def test_zoom_of_lanes_and_calls_is_undone_in_one_step(window: TimeWindow) -> None:
    QTest.keyClick(window.panel.lanes, KEY.Key_Plus)
    window.wait_until(lambda: window.panel.is_zoomed)
    assert window.page.graphs.is_zoomed
    window.page.graphs.reset_zoom()
    window.wait_until(lambda: not window.panel.is_zoomed)


def test_a_picture_is_of_the_calls(
    window: TimeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "calls.svg"
    monkeypatch.setattr(exports, "ask_export_path", lambda *_: str(path))
    window.app.window.export_requested.emit()
    window.wait_until(path.exists)
    window.wait_until(lambda: path.read_text().rstrip().endswith("</svg>"))
    text = path.read_text()
    assert text.count(">load<") == 2, "once for each call"


def test_a_file_without_times_has_no_such_view(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "p.pb.gz"
    path.write_bytes(encode_stacks("main;work 3"))
    app.force_view("time")
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: document.info is not None)
    assert page.view == "flame"
    assert "time" in page.missing
    page.show_view("time")
    assert page.view == "flame"


def test_the_threads_of_a_process_are_lanes(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    app.force_view("time")
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    wait_until(lambda: session.page.graphs.times is not None)
    panel = session.page.graphs.times
    assert panel is not None
    engine.send_samples(((MAIN_TID, ("main", "work", "parse")),) * 10)
    wait_until(lambda: panel.chart.scene is not None)
    wait_until(lambda: session.document.times.picture is not None)
    picture = session.document.times.picture
    assert picture is not None
    assert MAIN_TID in {lane.tid for lane in picture.lanes}
    assert panel.lanes.isVisible()
    session.document.choose_type(6)  # memory in use has no times
    wait_until(lambda: panel.chart.scene is None)
    assert not panel.lanes.isVisible()
    session.page.set_placeholder("No wait for a lock recorded", "Said of the other views.")
    assert panel.chart._placeholder[0] == "Nothing over time"


def test_threads_that_come_later_are_in_sight_too(window: TimeWindow) -> None:
    """Not those of the first picture alone, which in a capture may be one."""
    panel, picture = window.panel, window.document.times.picture
    assert picture is not None
    # Nothing moves under the pointer, which an earlier test may have left here.
    panel._split.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)

    def show(n_lanes: int) -> int:
        panel.show_picture(replace(picture, lanes=(picture.lanes * n_lanes)[:n_lanes]))
        return panel.lanes.height()

    heights = [show(n_lanes) for n_lanes in (3, 5, 4, 9, 20)]
    assert heights == [AXIS_PX + LANE_PX * n_lanes for n_lanes in (3, 5, 5, 8, 8)]


def test_lanes_leave_the_border_where_the_user_put_it(window: TimeWindow) -> None:
    panel, picture = window.panel, window.document.times.picture
    assert picture is not None
    panel._split.splitterMoved.emit(100, 1)
    height = panel.lanes.height()
    panel.show_picture(replace(picture, lanes=picture.lanes * 3))
    assert panel.lanes.height() == height


def test_lanes_and_cells_are_known_to_screen_readers(window: TimeWindow) -> None:
    lanes = window.panel.lanes
    assert [name for name, _ in list_parts(lanes)] == ["main", "work"]
    assert dict(list_parts(lanes))["main"] == "busy 100%"
    assert find_current(lanes) == "main"
    place = window.place_at(10, lane=1)
    assert find_part_at(lanes, place.x(), place.y()) == "work"
    QTest.keyClick(lanes, KEY.Key_Down)
    window.wait_until(lambda: find_current(lanes) == "work")
    window.panel.bar.shape_chosen.emit("heat")
    heat = window.panel.heat
    window.wait_until(lambda: heat.picture is not None)
    cells = list_parts(heat)
    assert len(cells) == 15  # 300 ms
    assert cells[3] == ("60.0 ms to 80.0 ms", "2 threads busy")
    QTest.keyClick(heat, KEY.Key_Right)
    assert find_current(heat) == "60.0 ms to 80.0 ms"
    QTest.keyClick(heat, KEY.Key_Down)
    assert find_current(heat) == "80.0 ms to 100 ms"
