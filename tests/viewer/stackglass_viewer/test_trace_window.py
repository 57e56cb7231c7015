"""A memory trace in the window: opened as any file, looked at, brushed, closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from harness.accessible import find_current, list_nameless, list_parts
from harness.session_writer import write_session
from harness.shop_trace import MS, list_source
from harness.traced_memory import read_trace
from stackglass_viewer.app import App
from stackglass_viewer.presenter.demo import EXAMPLE
from stackglass_viewer.presenter.memory_trace.document import TraceDocument
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.subject import SubjectKind
from stackglass_viewer.view.memory_trace.bar import PANES
from stackglass_viewer.view.memory_trace.panel import TracePanel
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton


class TraceWindow:
    """The tab of a session file, with its first map."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        self.app = app
        self._wait_until = wait_until
        app.window.resize(1366, 768)
        path = write_session(list_source(), folder / "trace.sgm")
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None and app.window.page.trace is not None)
        assert app.window.page is not None
        self.page: ProfilePage = app.window.page
        document = app.documents[self.page]
        assert isinstance(document, TraceDocument)
        self.document = document
        wait_until(lambda: document.scene is not None and self.panel.map._picture is not None)

    @property
    def panel(self) -> TracePanel:
        assert self.page.trace is not None
        return self.page.trace

    @property
    def subject(self) -> str:
        return self.panel.bar._about.whole

    def wait_for(self, words: str) -> None:
        self._wait_until(lambda: words in self.subject)

    def find(self, time_ns: int, address: int) -> QPoint:
        """Where an address is in the map at a time."""
        view = self.panel.map
        position = self.document.trace.axis.to_position(address)
        return QPoint(round(view.to_px(time_ns)) + 2, round(view._to_y(position)) + 2)


@pytest.fixture
def window(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> TraceWindow:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return TraceWindow(app, tmp_path, wait_until)


def test_it_opens_at_its_peak(window: TraceWindow, tmp_path: Path) -> None:
    window.wait_for("Live at the peak, 4.000 ms: 196 KiB in 3 objects")
    assert window.page.live is None
    assert window.app.recent.paths == (str(tmp_path / "trace.sgm"),)
    assert window.document.scene is not None
    assert window.document.scene.total == window.document.trace.index.peak_bytes


def test_a_click_on_the_curve_shows_that_moment(window: TraceWindow) -> None:
    view = window.panel.curve
    QTest.mouseClick(view, LEFT, pos=QPoint(round(view.to_px(7 * MS)) + 1, 70))
    window.wait_for("Live at 7.0")
    assert window.document.wish.kind is SubjectKind.MOMENT
    assert window.panel.bar._kinds.button("moment").isChecked()


def test_a_click_on_the_map_shows_a_block(window: TraceWindow, wait_until: WaitUntil) -> None:
    block = window.panel.side.block
    QTest.mouseClick(window.panel.map, LEFT, pos=window.find(2 * MS, 0x105000))
    wait_until(lambda: "builtins.bytes" in block._text.toPlainText())
    assert block.isVisible()
    assert "parse" in block._text.toPlainText()
    block.closed.emit()
    assert window.panel.side.legend.isVisible()


def test_a_brush_on_the_map_is_of_times_and_addresses(window: TraceWindow) -> None:
    view = window.panel.map
    first, last = window.find(5 * MS + MS // 2, 0x18F000), window.find(7 * MS, 0x190B00)
    QTest.mousePress(view, LEFT, pos=first)
    QTest.mouseMove(view, (first + last) / 2)
    QTest.mouseMove(view, last)
    QTest.mouseRelease(view, LEFT, pos=last)
    window.wait_for("Allocated from 5.")
    assert " at 0x" in window.subject
    brush = window.document.wish.brush
    assert brush is not None
    assert brush.addresses is not None
    window.panel.bar.kind_chosen.emit(SubjectKind.LEAKS)
    window.wait_for("and live at the end of the trace")
    QTest.keyClick(view, Qt.Key.Key_Escape)
    window.wait_for("in the trace and live at its end")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_below_the_curve_can_be_looked_at(
    window: TraceWindow, wait_until: WaitUntil, theme: str
) -> None:
    window.app.window.look_chosen.emit("theme", theme)
    wait_until(lambda: window.document.statistics.value is not None)
    for pane, _ in PANES:
        window.panel.bar.pane_chosen.emit(pane)
        assert window.panel.pane == pane
        wait_until(lambda: not window.document._asker.is_busy("state"))
        window.app.window.grab()
    assert "Peak: 196 KiB" in window.panel.side._findings.toPlainText()


def test_a_row_of_garbage_leads_to_its_stacks(window: TraceWindow, wait_until: WaitUntil) -> None:
    wait_until(lambda: window.document.garbage.rowCount() == 1)
    window.panel.garbage.row_activated.emit(0)
    assert window.page.view == "flame"
    assert window.page.search.pattern == "^load$"


def test_the_wheel_zooms_the_map_and_home_shows_all(
    window: TraceWindow, wait_until: WaitUntil
) -> None:
    drawn: list[object] = []
    window.document.drawer.picture_changed.connect(drawn.append)
    window.panel.map.zoomed.emit((0.5, 0.5), (2.0, 1.0))
    wait_until(lambda: bool(drawn))
    assert window.panel.curve.window_ns == window.panel.map.window_ns
    assert window.panel.bar._all.isEnabled()
    QTest.keyClick(window.panel.map, Qt.Key.Key_Home)
    assert not window.document.map.is_zoomed


def test_space_plays_and_a_tab_in_the_background_does_not(
    window: TraceWindow, wait_until: WaitUntil
) -> None:
    window.document.cursor.move(0)
    window.panel.bar.play_toggled.emit(True)
    wait_until(lambda: window.document.cursor.time_ns > 0)
    window.document.set_front(False)
    assert not window.document.cursor.is_playing


def test_the_grip_changes_the_height(window: TraceWindow) -> None:
    before = window.panel.map.height()
    window.panel.change_height(40)
    assert window.panel.map.height() == before + 40
    window.panel.change_height(-10_000)
    assert 0 < window.panel.map.height() < before


def test_a_closed_tab_gives_its_file_back(window: TraceWindow, wait_until: WaitUntil) -> None:
    trace = window.document.trace
    window.app.window.page_close_requested.emit(window.page)
    wait_until(lambda: not window.app.tabs.leaving)
    assert trace.index.side_file._map is None


@pytest.mark.parametrize(
    "text", ["0 gc 0 2\n1 gc-end 0 2", "5 alloc 0x10 8", "0 object 0x10 8\n9 free 0x10"]
)
def test_a_trace_with_hardly_anything_in_it_opens(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    app.open_files([str(write_session(read_trace(text), tmp_path / "small.sgm"))])
    wait_until(lambda: app.window.page is not None and app.window.page.trace is not None)
    assert app.window.page is not None
    panel, document = app.window.page.trace, app.documents[app.window.page]
    assert panel is not None
    wait_until(lambda: document.scene is not None and panel.map._picture is not None)
    for pane, _ in PANES:
        panel.show_pane(pane)
        app.window.grab()
    panel.map.zoomed.emit((0.5, 0.5), (2.0, 2.0))
    QTest.keyClick(panel.curve, Qt.Key.Key_Right)
    wait_until(lambda: panel.bar._about.whole.startswith("Live at"))
    app.window.grab()


def test_places_of_the_map_and_lanes_are_known_to_screen_readers(window: TraceWindow) -> None:
    view = window.panel.map
    parts = list_parts(view)
    assert len(parts) == 12 * 24
    used = [value for _, value in parts if "KiB" in value]
    assert used
    assert all("0x" in name for name, _ in parts)
    before = find_current(view)
    QTest.keyClick(view, Qt.Key.Key_Down)
    below = find_current(view)
    assert below != before
    assert below.split(",")[0] == before.split(",")[0]  # at the same time
    assert list_nameless(window.page) == []


def test_keys_of_the_map_list_the_blocks_of_a_place(window: TraceWindow) -> None:
    view = window.panel.map
    chosen: list[object] = []
    view.cell_chosen.connect(chosen.append)
    window._wait_until(lambda: window.document.cursor.time_ns > 0)
    while "in use, mostly" not in dict(list_parts(view))[find_current(view)]:
        before = find_current(view)
        QTest.keyClick(view, Qt.Key.Key_Down)
        assert find_current(view) != before, "no place at the peak has blocks"
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert len(chosen) == 1
    window._wait_until(lambda: window.document.blocks.model.rowCount() > 0)


def test_lanes_of_a_trace_are_known_to_screen_readers(window: TraceWindow) -> None:
    window.panel.show_pane("lanes")
    lanes = window.panel.lanes
    window._wait_until(lambda: bool(list_parts(lanes)))
    first, second = list_parts(lanes)[:2]
    assert "times" in first[1]
    assert find_current(lanes) == first[0]
    QTest.keyClick(lanes, Qt.Key.Key_Down)
    assert find_current(lanes) == second[0]


def test_a_brush_over_bars_shows_the_allocations_of_these_bars(
    window: TraceWindow, wait_until: WaitUntil
) -> None:
    window.panel.show_pane("rates")
    view = window.panel.rates
    wait_until(lambda: view._chart is not None)
    chart = view._chart
    assert chart is not None
    first, last = (QPoint(round(view.to_px(at * MS)) + 1, 60) for at in (5, 7))
    QTest.mousePress(view, LEFT, pos=first)
    QTest.mouseMove(view, (first + last) / 2)
    QTest.mouseMove(view, last)
    QTest.mouseRelease(view, LEFT, pos=last)
    window.wait_for("Allocated from 5.000 ms to 7.0")
    brush = window.document.wish.brush
    assert brush is not None
    begin, end = (
        chart.edges_ns.tolist().index(brush.begin_ns),
        chart.edges_ns.tolist().index(brush.end_ns),
    )
    assert window.document.scene is not None
    assert window.document.scene.total == int(chart.size[:, begin:end].sum()) == 3000


def test_allocation_rates_can_be_regrouped_and_copied(
    window: TraceWindow, wait_until: WaitUntil
) -> None:
    window.panel.show_pane("rate_rows")
    model, legend = window.document.rate_rows, window.panel.side.rates
    assert legend.isVisible()
    wait_until(lambda: model.rowCount() == 3)
    table = window.panel.rate_rows._table
    assert table is not None
    table.copy(is_whole=True)
    head, first, *_ = QGuiApplication.clipboard().text().splitlines()
    assert head.split("\t")[-1] == "Type or line of code"
    assert first.split("\t")[-1] == "builtins.bytes"
    legend.grouping_chosen.emit(Colouring.SITE)
    wait_until(lambda: model.data(model.index(0, model.columnCount() - 1)) == "parse")
    window.panel.rate_rows.row_activated.emit(0)
    assert window.page.search.pattern == "^parse$"


def test_the_example_of_the_start_page_says_what_it_shows(
    app: App, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    button = next(
        each for each in app.window.start.findChildren(QPushButton) if "xample" in each.text()
    )
    button.click()
    wait_until(lambda: app.window.page is not None and app.window.page.trace is not None)
    page = app.window.page
    assert page is not None
    document = app.documents[page]
    wait_until(lambda: document.scene is not None)
    wait_until(lambda: "An example" in (page.message.notice.text if page.message.notice else ""))
    scene = document.scene
    assert scene is not None
    program = EXAMPLE.parent / "photo_album.py"  # type: ignore[attr-defined] # it is a path
    lines = program.read_text(encoding="utf-8").splitlines()
    for name in ("decode", "shrink", "import_batch"):
        frame = scene.tree.frame_name.index(f"__main__.{name}")
        assert scene.tree.frame_file[frame].endswith("/photo_album.py")
        assert scene.tree.frame_line is not None
        assert lines[int(scene.tree.frame_line[frame]) - 1].startswith(f"def {name}("), name
