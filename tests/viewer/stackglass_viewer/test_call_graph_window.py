"""The call graph in the window: drawn while it is shown, one selection with the other views."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from harness.accessible import find_current, find_part_at, list_parts
from harness.profiles import encode_stacks
from harness.synthetic_engine import MAIN_TID, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer import exports
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene, GraphBox
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.graph.panel import CallGraphPanel
from stackglass_viewer.view.graph.view import CallGraphView
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key
CORPUS = Path(__file__).resolve().parents[2] / "corpus"
STACKS = """
main;serve;render;escape 30
main;serve;render;dumps;escape 40
main;mail;render;escape 50
main;mail 70
main;mail;mail 20
idle 5
"""


class GraphWindow:
    """A tab with its call graph."""

    def __init__(self, app: App, wait_until: WaitUntil) -> None:
        self.app, self.wait_until = app, wait_until
        self.page: ProfilePage
        self.document: Document
        ((self.page, self.document),) = app.documents.items()

    @property
    def panel(self) -> CallGraphPanel:
        assert self.page.graphs.call_graph is not None
        return self.page.graphs.call_graph

    @property
    def view(self) -> CallGraphView:
        return self.panel.view

    @property
    def scene(self) -> CallGraphScene:
        assert self.view.scene is not None
        return self.view.scene

    @property
    def titles(self) -> set[str]:
        return (
            {box.title for box in self.view.scene.boxes} if self.view.scene is not None else set()
        )

    def box(self, title: str) -> GraphBox:
        return next(box for box in self.scene.boxes if box.title == title)

    def place_of(self, title: str) -> QPoint:
        """Where its middle is on the screen."""
        place = self.view.camera.transform().map(QPointF(*self.box(title).center)).toPoint()
        assert self.view.rect().contains(place), f"{title} is out of sight"
        return place

    @property
    def selected(self) -> str:
        return self.document.top.name_of(self.document.selection.function)

    def settle(self) -> None:
        """Until nothing moves."""
        animation = self.view.camera._animation
        self.wait_until(lambda: animation.state() is not animation.State.Running)


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> GraphWindow:
    return open_window(app, tmp_path, wait_until, STACKS)


def open_window(app: App, folder: Path, wait_until: WaitUntil, stacks: str) -> GraphWindow:
    path = folder / "web.pb.gz"
    path.write_bytes(encode_stacks(stacks))
    app.force_view("graph")
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    made = GraphWindow(app, wait_until)
    wait_until(lambda: bool(made.titles))
    return made


def test_functions_are_boxes_and_calls_are_arrows(window: GraphWindow) -> None:
    assert window.titles == {"main", "serve", "render", "escape", "dumps", "mail", "idle"}
    named = {
        (window.scene.boxes[edge.caller].title, window.scene.boxes[edge.callee].title): edge.weight
        for edge in window.scene.edges
    }
    assert named == {
        ("main", "serve"): 70,
        ("main", "mail"): 140,
        ("serve", "render"): 70,
        ("mail", "render"): 50,
        ("mail", "mail"): 20,
        ("render", "escape"): 80,
        ("render", "dumps"): 40,
        ("dumps", "escape"): 40,
    }
    assert window.panel.bar._about.whole == "7 of 7 functions  ·  8 calls"
    assert window.page.view == "graph"


def test_boxes_are_painted_in_the_colours_of_the_flame_graph(window: GraphWindow) -> None:
    scene = window.document.scene
    assert scene is not None
    image = window.view.grab().toImage()
    for title in ("main", "render"):
        box, place = window.box(title), window.place_of(title)
        inside = QPoint(place.x() - round(box.width * window.view.camera.scale / 2) + 4, place.y())
        assert image.pixel(inside) == int(scene.colours[box.frame])


def test_a_click_selects_in_every_view(window: GraphWindow) -> None:
    QTest.mouseClick(window.view, LEFT, pos=window.place_of("render"))
    assert window.selected == "render"
    details = window.page.graphs.find_details()
    assert details is not None
    assert (details.name, details.own, details.total) == ("render", 0, 120)
    window.page.show_view("sandwich")
    window.wait_until(lambda: window.document.sandwich.shown is not None)
    assert window.document.sandwich.shown is not None
    assert window.document.sandwich.shown.name == "render"


def test_arrow_keys_follow_the_calls(window: GraphWindow) -> None:
    QTest.mouseClick(window.view, LEFT, pos=window.place_of("main"))
    for key, name in (
        (KEY.Key_Down, "mail"),
        (KEY.Key_Down, "render"),
        (KEY.Key_Down, "escape"),
        (KEY.Key_Up, "render"),
        (KEY.Key_Up, "serve"),
        (KEY.Key_Up, "main"),
    ):
        QTest.keyClick(window.view, key)
        assert window.selected == name
    QTest.keyClick(window.view, KEY.Key_Escape)
    assert window.selected == ""


def test_an_arrow_says_what_the_calls_cost(window: GraphWindow) -> None:
    scene = window.scene
    edge = next(each for each in scene.edges if each.weight == 140)
    (x0, y0), (x1, y1) = edge.path.points[:2]
    middle = window.view.camera.transform().map(QPointF((x0 + x1) / 2, (y0 + y1) / 2))
    QTest.mouseMove(window.view, middle.toPoint())
    details = window.view.find_details()
    assert details is not None
    assert (details.name, details.total, details.relation) == ("main → mail", 140, "Of caller")


def test_enter_brings_what_was_found_into_sight(window: GraphWindow) -> None:
    window.view.camera.zoom_at(QPointF(5, 5), 3.0)
    window.document.search.set_pattern("dumps")
    window.wait_until(lambda: window.document.search.matches is not None)
    window.document.search.step(1)
    window.wait_until(lambda: window.selected == "dumps")
    window.settle()
    window.place_of("dumps")


def test_what_is_left_out_is_said_to_be_so(window: GraphWindow) -> None:
    node_fraction = window.panel.bar._parts[1][1]
    node_fraction.setCurrentIndex(4)
    node_fraction.activated.emit(4)
    window.wait_until(lambda: "idle" not in window.titles)
    window.document.search.set_pattern("idle")
    window.wait_until(lambda: window.document.search.matches is not None)
    window.document.search.step(1)
    window.wait_until(lambda: window.selected == "idle")
    assert window.panel.bar._about.whole.startswith("idle is left out")


@pytest.mark.parametrize(("choice", "n_boxes"), [(0, 20), (2, 80), (4, 200)])
def test_the_list_says_how_many_functions_there_are(
    app: App, tmp_path: Path, wait_until: WaitUntil, choice: int, n_boxes: int
) -> None:
    stacks = "\n".join(f"main;f{number} 10" for number in range(199))
    window = open_window(app, tmp_path, wait_until, stacks)
    (_, nodes), (_, node_fraction), _ = window.panel.bar._parts
    for box, at in ((nodes, choice), (node_fraction, 0)):
        box.setCurrentIndex(at)
        box.activated.emit(at)
    wait_until(lambda: len(window.titles) == n_boxes)


def test_zoom_pan_and_everything(window: GraphWindow) -> None:
    view, camera = window.view, window.view.camera
    assert not window.page.graphs.is_zoomed
    place = window.place_of("render")
    for _ in range(6):
        wheel(view, place, Qt.KeyboardModifier.ControlModifier)
    assert window.page.graphs.is_zoomed
    fixed, scale = camera.to_graph(QPointF(place)), camera.scale
    wheel(view, place, Qt.KeyboardModifier.ControlModifier)
    assert camera.scale > scale
    now = camera.to_graph(QPointF(place))
    assert (now.x(), now.y()) == (pytest.approx(fixed.x()), pytest.approx(fixed.y()))
    before = camera.visible.center()
    wheel(view, place, Qt.KeyboardModifier.NoModifier)
    assert camera.visible.center().y() != before.y()
    QTest.keyClick(view, KEY.Key_0)
    window.settle()
    assert not window.page.graphs.is_zoomed


def wheel(view: CallGraphView, place: QPoint, held: Qt.KeyboardModifier) -> None:
    event = QWheelEvent(
        QPointF(place),
        view.mapToGlobal(QPointF(place)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_the_overview_leads_elsewhere(window: GraphWindow) -> None:
    view, camera = window.view, window.view.camera
    for _ in range(6):
        camera.zoom_at(QPointF(1, 1), 1.3)
    area = view._overview.place(view.rect().toRectF())
    QTest.mouseClick(view, LEFT, pos=area.bottomRight().toPoint() - QPoint(8, 8))
    center = camera.visible.center()
    assert center.x() > window.scene.width / 2
    assert center.y() > window.scene.height / 2
    assert window.selected == ""  # nothing below it was chosen


def test_dragging_moves_and_selects_nothing(window: GraphWindow) -> None:
    view = window.view
    for _ in range(6):
        view.camera.zoom_at(QPointF(view.rect().center()), 1.3)
    before = view.camera.visible.center()
    QTest.mousePress(view, LEFT, pos=QPoint(200, 200))
    QTest.mouseMove(view, QPoint(260, 240))
    QTest.mouseMove(view, QPoint(280, 260))
    QTest.mouseRelease(view, LEFT, pos=QPoint(280, 260))
    assert view.camera.visible.center().x() < before.x()
    assert window.selected == ""


def test_the_menu_filters_searches_and_copies(window: GraphWindow) -> None:
    view = window.view
    QTest.mouseClick(view, LEFT, pos=window.place_of("mail"))
    menu = open_menu(window, "mail")
    trigger(menu, "Copy name")
    assert QGuiApplication.clipboard().text() == "mail"
    trigger(open_menu(window, "mail"), "Search for this function")
    window.wait_until(lambda: window.document.search.matches is not None)
    assert window.page.search.pattern
    trigger(open_menu(window, "serve"), "&Only stacks with this function")
    assert window.document.transforms.chosen == (Transform(TransformKind.FOCUS, "serve"),)
    window.wait_until(lambda: "mail" not in window.titles)
    assert window.titles == {"main", "serve", "render", "dumps", "escape"}


def open_menu(window: GraphWindow, title: str) -> FunctionMenu:
    window.view.menu_requested.emit(window.box(title).frame, QPoint(50, 50))
    menus = [each for each in window.panel.findChildren(FunctionMenu) if each.isVisible()]
    return menus[-1]


def trigger(menu: FunctionMenu, text: str) -> None:
    for each in (menu, *menu.findChildren(QMenu)):
        for action in each.actions():
            if action.text().partition("\t")[0] == text:
                action.trigger()
                menu.close()
                return
    raise AssertionError(f"no entry {text}")


def test_keys_lead_to_other_views(window: GraphWindow) -> None:
    QTest.mouseClick(window.view, LEFT, pos=window.place_of("dumps"))
    QTest.keyClick(window.view, KEY.Key_C)
    assert window.page.view == "sandwich"
    window.page.show_view("graph")
    QTest.keyClick(window.view, KEY.Key_L)
    assert window.page.view == "source"


def test_it_is_drawn_only_while_it_is_shown(window: GraphWindow) -> None:
    window.page.show_view("flame")
    drawn: list[object] = []
    window.document.graph.changed.connect(drawn.append)
    window.document.labels.split("")
    window.document.transforms.add(Transform(TransformKind.DROP, "idle"))
    window.wait_until(
        lambda: window.document.top.name_of(0) != "" and not window.document.is_building
    )
    assert drawn == []
    window.page.show_view("graph")
    window.wait_until(lambda: bool(drawn))
    window.wait_until(lambda: "idle" not in window.titles)


def test_a_file_of_cprofile_has_one(app: App, wait_until: WaitUntil) -> None:
    app.force_view("graph")
    app.open_files([str(CORPUS / "cprofile.workload.py3.12.prof")])
    wait_until(lambda: app.window.page is not None)
    window = GraphWindow(app, wait_until)
    wait_until(lambda: len(window.titles) > 10)
    assert window.page.view == "graph"
    frame = next(box.frame for box in window.scene.boxes if box.title == "dump_asts")
    window.view.function_selected.emit(frame)
    assert window.selected == "dump_asts"


def test_a_failure_is_said(window: GraphWindow) -> None:
    window.document.graph.failed.emit("The call graph is too tangled to be laid out.")
    assert window.view.scene is None
    assert window.view._placeholder == (
        "No call graph",
        "The call graph is too tangled to be laid out.",
    )
    window.view.grab()


@pytest.mark.parametrize("ending", [".svg", ".png"])
def test_export_writes_the_graph_that_is_looked_at(
    window: GraphWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"graph{ending}"
    monkeypatch.setattr(exports, "ask_export_path", lambda *_: str(path))
    window.app.window.export_requested.emit()
    window.wait_until(path.exists)
    if ending == ".png":
        image = QImage(str(path))
        assert image.width() == round((window.scene.width + 32) * 2)
        colour = window.box("mail").colour
        x, y = window.box("mail").left + 6, window.box("mail").center[1]
        assert image.pixel(round((x + 16) * 2), round((y + 16) * 2)) == colour
    else:
        texts = {(each.text or "").strip() for each in ElementTree.parse(path).getroot().iter()}
        assert {"main", "mail", "render", "140 ns"} <= texts


def test_a_process_is_drawn_as_it_runs(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    app.force_view("graph")
    WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples(((MAIN_TID, ("main", "work", "parse")),) * 10)
    window = GraphWindow(app, wait_until)
    wait_until(lambda: window.titles >= {"main", "work", "parse"})
    QTest.mouseMove(window.view, QPoint(5, 5))  # while it moves nothing else does
    QTest.mouseMove(window.view, QPoint(9, 9))
    placed = window.box("parse").center
    engine.send_samples(((MAIN_TID, ("main", "work", "fresh")),) * 10)
    wait_until(lambda: window.scene.n_waiting > 0)
    assert window.box("parse").center == placed
    wait_until(lambda: "fresh" in window.titles)


def test_boxes_are_known_to_screen_readers(window: GraphWindow) -> None:
    parts = dict(list_parts(window.view))
    assert set(parts) == window.titles
    assert "of its own" in parts["mail"]
    window.view.function_selected.emit(window.box("mail").frame)
    window.wait_until(lambda: find_current(window.view) == "mail")
    place = window.view.camera.transform().map(QPointF(*window.box("mail").center)).toPoint()
    assert find_part_at(window.view, place.x(), place.y()) == "mail"
