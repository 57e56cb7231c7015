"""The sandwich in the window: chosen from the table, from the graph, from its own boxes."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from harness.synthetic_engine import MAIN_TID, SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.sandwich import SandwichScene
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.view.flame.row_geometry import ROW_PX
from stackglass_viewer.view.flame.sandwich_view import SandwichView
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key
STACKS = """
main;serve;render;escape 30
main;serve;render;dumps;escape 40
main;mail;render;escape 50
main;mail 70
idle 5
"""


class Window:
    """A tab with the sandwich in it."""

    def __init__(self, app: App, wait_until: WaitUntil) -> None:
        self._wait_until = wait_until
        self.page: ProfilePage
        self.document: Document
        ((self.page, self.document),) = app.documents.items()

    @property
    def view(self) -> SandwichView:
        assert self.page.graphs.sandwich is not None
        return self.page.graphs.sandwich

    @property
    def callers(self) -> FlameView:
        return self.view.callers.graph

    @property
    def callees(self) -> FlameView:
        return self.view.callees.graph

    @property
    def shown(self) -> SandwichScene:
        assert self.document.sandwich.shown is not None
        return self.document.sandwich.shown

    def wait_for(self, name: str) -> None:
        sandwich = self.document.sandwich
        self._wait_until(lambda: sandwich.shown is not None and sandwich.shown.name == name)

    def choose(self, name: str) -> None:
        scene = self.document.scene
        assert scene is not None
        self.page.top.function_selected.emit(scene.tree.frame_name.index(name))
        self.wait_for(name)


def place_of(graph: FlameView, name: str) -> QPoint:
    """The middle of the first box of that function, by its pixels on the screen."""
    assert graph.scene is not None
    for y_px in range(ROW_PX // 2, graph.height(), ROW_PX // 2):
        for x_px in range(2, graph.width(), 8):
            node = graph._node_at(QPoint(x_px, y_px).toPointF())
            if node > 0 and name_of(graph.scene, node) == name:
                return QPoint(x_px, y_px)
    raise AssertionError(f"no box of {name}")


def list_boxes(graph: FlameView) -> dict[str, int]:
    """Totals of the first row away from the function."""
    scene = graph.scene
    assert scene is not None
    nodes = [node for node in scene.layout.node.tolist() if scene.tree.depth[node] == 1]
    return {name_of(scene, node): int(scene.values.total[node]) for node in nodes}


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> Window:
    path = tmp_path / "web.pb.gz"
    path.write_bytes(encode_stacks(STACKS))
    app.force_view("sandwich")
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    made = Window(app, wait_until)
    made.wait_for("escape")  # the table's first: it has most of its own
    made.choose("render")
    return made


def test_a_file_of_cprofile_has_one_step_each_way_and_says_so(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    serve, dump = ("p.py", 1, "serve"), ("p.py", 2, "dump")
    main = ("p.py", 3, "main")
    stats = {
        main: (1, 1, 0.01, 0.10, {}),
        serve: (2, 2, 0.03, 0.09, {main: (2, 2, 0.03, 0.09)}),
        dump: (9, 9, 0.06, 0.06, {serve: (9, 9, 0.06, 0.06)}),
    }
    path = tmp_path / "web.prof"
    path.write_bytes(marshal.dumps(stats))
    app.force_view("sandwich")
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    window = Window(app, wait_until)
    window.wait_for("dump")
    assert window.page.view == "sandwich"
    assert window.shown.is_one_deep
    assert window.view._hint.isVisible()
    window.page.top.function_selected.emit(window.document.top.function_at(1))
    window.wait_for("serve")
    assert list_boxes(window.callers) == {"main": 90_000_000}
    assert list_boxes(window.callees) == {"dump": 60_000_000}
    window.callees.node_activated.emit(1)
    window.wait_for("dump")
    window.document.choose_type(1)
    wait_until(lambda: list_boxes(window.callers) == {"serve": 9})


def test_both_halves_and_the_bar_have_the_tables_numbers(window: Window) -> None:
    shown = window.shown
    assert (shown.details.own, shown.details.total) == (0, 120)
    assert shown.callers.layout.extent == shown.callees.layout.extent == 120
    assert list_boxes(window.callers) == {"serve": 70, "mail": 50}
    assert list_boxes(window.callees) == {"escape": 80, "dumps": 40}
    assert window.view.bar.say() == "flat 0 ns   cum 120 ns   61.5%"
    assert window.page.top.isVisible()
    assert not window.page.flame.isVisible()
    assert not window.view._hint.isVisible()


def test_without_a_function_nothing_is_said_of_the_last_one(window: Window) -> None:
    shown = replace(window.shown, is_one_deep=True)
    window.view.show_sandwich(shown)
    assert not window.view._hint.isHidden()
    window.view.set_placeholder("Nothing left", "No sample passes.")
    assert window.callees._placeholder[0] == "No callees"
    window.view.show_sandwich(None)
    assert window.view._hint.isHidden()
    assert window.callers._placeholder == ("", "")
    assert window.callees._placeholder == ("Nothing left", "No sample passes.")


def test_callers_grow_upwards_from_the_function(window: Window) -> None:
    serve, main = (place_of(window.callers, name) for name in ("serve", "main"))
    assert main.y() < serve.y()
    assert window.callers.height() - serve.y() <= ROW_PX
    assert place_of(window.callees, "escape").y() < ROW_PX
    scene, image = window.shown.callers, window.callers.grab().toImage()
    for name, place in (("serve", serve), ("main", main)):  # painted where they are found
        colour = scene.colours[scene.tree.frame_name.index(name)]
        pixels = {image.pixel(place.x() + dx, place.y()) for dx in range(200, 240)}
        assert int(colour) in pixels


def test_a_double_click_chooses_the_box_and_back_leads_back(window: Window) -> None:
    QTest.mouseDClick(window.callers, LEFT, pos=place_of(window.callers, "serve"))
    window.wait_for("serve")
    assert list_boxes(window.callers) == {"main": 70}
    assert list_boxes(window.callees) == {"render": 70}
    window.page.step_requested.emit(-1)
    window.wait_for("render")
    window.page.step_requested.emit(1)
    window.wait_for("serve")


def test_keys_lead_through_both_halves(window: Window) -> None:
    window.callers.enter()
    assert name_of(window.shown.callers, window.callers.selected) == "serve"
    QTest.keyClick(window.callers, KEY.Key_Up)
    assert name_of(window.shown.callers, window.callers.selected) == "main"
    QTest.keyClick(window.callers, KEY.Key_Down)
    QTest.keyClick(window.callers, KEY.Key_Down)  # through the function
    assert name_of(window.shown.callees, window.callees.selected) == "escape"
    assert window.callers.selected == -1
    QTest.keyClick(window.callees, KEY.Key_Z)
    QTest.keyClick(window.callees, KEY.Key_Right)
    assert name_of(window.shown.callees, window.callees.selected) == "dumps"
    QTest.keyClick(window.callees, KEY.Key_Return)
    window.wait_for("dumps")


def test_a_click_selects_and_shows_callers_and_callees(window: Window) -> None:
    QTest.mouseClick(window.callers, LEFT, pos=place_of(window.callers, "mail"))
    details = window.view.find_details()
    assert details is not None
    assert (details.name, details.total, details.relation) == ("mail", 50, "Of callee")
    assert details.share == pytest.approx(50 / 195)
    assert window.shown.name == "render"
    QTest.keyClick(window.callers, KEY.Key_Escape)
    QApplication.sendEvent(window.callers, QEvent(QEvent.Type.Leave))  # the pointer is elsewhere
    assert window.view.find_details() is window.shown.details


def test_the_flame_graph_leads_here_by_a_key(window: Window) -> None:
    window.page.show_view("flame")
    graph = window.page.flame.graph
    assert window.document.sandwich.shown is None  # no view shows it: nothing is built
    QTest.mouseClick(graph, LEFT, pos=place_of(graph, "dumps"))
    QTest.keyClick(graph, KEY.Key_C)
    window.wait_for("dumps")
    assert window.page.view == "sandwich"
    assert window.callees.hasFocus()


def test_it_opens_at_the_match_that_enter_led_to(window: Window, wait_until: WaitUntil) -> None:
    window.page.show_view("flame")
    window.document.search.set_pattern("^mail$")
    wait_until(lambda: window.document.search.matches is not None)
    window.document.search.step(1)
    wait_until(lambda: window.page.flame.graph.selected > 0)
    window.page.show_view("sandwich")
    window.wait_for("mail")


def test_a_search_stands_out_in_both_halves(window: Window, wait_until: WaitUntil) -> None:
    window.document.search.set_pattern("dumps")
    wait_until(lambda: window.callees._highlight.matches is not None)
    assert window.callers._highlight.matches is window.callees._highlight.matches


def test_enter_leads_from_one_function_found_to_the_next(
    window: Window, wait_until: WaitUntil
) -> None:
    window.document.search.set_pattern(
        "e"
    )  # escape is there twice, and each function is visited once
    wait_until(lambda: window.callees._highlight.matches is not None)
    for name in ("serve", "render", "escape", "idle", "serve"):
        window.document.search.step(1)
        window.wait_for(name)


def test_a_copied_stack_begins_or_ends_with_the_function(window: Window) -> None:
    copied: list[str] = []
    window.page.copy_requested.connect(lambda text, _what: copied.append(text))
    window.callees.enter()
    window.callees.copy_requested.emit(window.callees.selected)
    window.callers.enter()
    window.callers.copy_requested.emit(window.callers.selected)
    names = [[line.split()[0] for line in text.splitlines()] for text in copied]
    assert names == [["escape", "render"], ["render", "serve"]]


def test_a_file_without_stacks_and_calls_has_no_sandwich(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "alone.prof"
    path.write_bytes(marshal.dumps({("p.py", 1, "serve"): (1, 1, 0.5, 0.5, {})}))
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    page = app.window.page
    assert page is not None
    wait_until(lambda: page.view == "top")
    page.show_view("sandwich")
    assert page.view == "top"


@pytest.fixture
def attached(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> tuple[Window, SyntheticEngine]:
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    app.force_view("sandwich")
    app.attach(make_target(os.getpid(), 100))
    wait_until(lambda: app.window.page is not None)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples(((MAIN_TID, ("main", "work")),) * 10)
    made = Window(app, wait_until)
    made.wait_for("work")
    return made, engine


def test_a_live_refresh_keeps_the_function(
    attached: tuple[Window, SyntheticEngine], wait_until: WaitUntil
) -> None:
    window, engine = attached
    before = window.callers.camera.navigation.view
    engine.send_samples(((MAIN_TID, ("main", "other", "work", "leaf")),) * 50)
    wait_until(lambda: "other" in list_boxes(window.callers))
    assert window.shown.name == "work"
    assert set(list_boxes(window.callees)) == {"leaf"}
    assert window.callers.camera.navigation.view == before


def test_it_follows_the_heap_and_growth(
    attached: tuple[Window, SyntheticEngine], wait_until: WaitUntil
) -> None:
    """Whatever the flame graph shows: the bar has what the table has."""
    window, engine = attached
    document = window.document
    assert isinstance(document, LiveDocument)
    wait_until(lambda: document.status.phase == "running")
    blocks = ((("main", "work", "keep"), 100, 4096, 20), (("main", "work"), 9, 512, 0))
    engine.send_heap(*blocks, at_s=10)
    for use, space in ((True, True), (True, False), (False, True), (False, False)):
        window.page.type_chosen.emit(window.page.types.findText("heap"))
        document.heap.choose_measure(use, space)
        n_blocks = 89 if use else 109
        n_bytes = (80 if use else 100) * 4096 + 9 * 512
        total = n_bytes if space else n_blocks
        wait_until(partial(has_total, window, total))
        assert sum(list_boxes(window.callees).values()) == total - window.shown.details.own
    engine.send_sums((0, 100, 4096, 60), at_s=12)
    document._on_window_changed(HeapWindow("growth", 1000, None))
    wait_until(lambda: has_total(window, -40))
    assert window.shown.details.is_change
    assert window.shown.callers.is_difference
    assert window.shown.callers.layout.extent == window.shown.callees.layout.extent == 40
    assert window.view.bar.say() == "flat 0   cum −40"


def has_total(window: Window, total: int) -> bool:
    shown = window.document.sandwich.shown
    return shown is not None and shown.details.total == total


@pytest.mark.parametrize("seen", [(), ("graph",)], ids=["at once", "after the call graph"])
def test_the_sandwich_has_half_of_the_room(
    app: App, tmp_path: Path, wait_until: WaitUntil, seen: tuple[str, ...]
) -> None:
    path = tmp_path / "web.pb.gz"
    path.write_bytes(encode_stacks(STACKS))
    app.force_view("flame")
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    window = Window(app, wait_until)
    wait_until(lambda: window.document.scene is not None)
    for view in (*seen, "sandwich"):
        window.page.show_view(view)
    window.choose("render")
    share = window.view.width() / (window.view.width() + window.page.top.width())
    assert 0.4 < share < 0.7
