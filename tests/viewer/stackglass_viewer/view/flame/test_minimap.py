"""The minimap: where one is in the flame graph, by real events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.app import App
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.minimap import Minimap
from stackglass_viewer.view.flame.panel import FlamePanel
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
GREY = 0xFF808080
COLOURS = {"main": 0xFFFF0000, "load": 0xFF00FF00, "idle": 0xFF0000FF}


def make_scene(text: str, folder: Path) -> FlameScene:
    tree, values = grow_tree(text, folder)
    colours = np.array([COLOURS.get(name, GREY) for name in tree.frame_name], dtype=np.uint32)
    return FlameScene(tree, values, lay_out(tree, values), colours, GREY)


@pytest.fixture
def panel(qt: QApplication, tmp_path: Path) -> Iterator[FlamePanel]:
    made = FlamePanel(load_theme("light"))
    made.add_minimap()
    made.resize(1000, 400)
    made.graph.set_scene(make_scene("main;load 60\nmain 20\nidle 20", tmp_path))
    made.show()
    QTest.qWaitForWindowExposed(made)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def graph(panel: FlamePanel) -> FlameView:
    return panel.graph


@pytest.fixture
def minimap(panel: FlamePanel) -> Minimap:
    assert panel.minimap is not None
    return panel.minimap


def wanted(graph: FlameView) -> View:
    return graph.camera.navigation.view


def look_at(graph: FlameView, left: float, right: float, wait_until: WaitUntil) -> None:
    graph.camera.restore(View(left, right))
    settle(graph, wait_until)


def settle(graph: FlameView, wait_until: WaitUntil) -> None:
    wait_until(lambda: graph.camera.shown == graph.camera.navigation.view)


def place_at(minimap: Minimap, share: float) -> QPoint:
    return QPoint(round(1 + share * (minimap.width() - 2)), minimap.height() // 2)


def test_it_is_there_only_while_not_everything_is_in_sight(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    assert not minimap.isVisible()
    look_at(graph, 0.25, 0.5, wait_until)
    assert minimap.isVisible()
    assert graph.rect().contains(minimap.geometry())
    assert minimap.sight.left() == pytest.approx(1 + 0.25 * 220)
    assert minimap.sight.width() == pytest.approx(0.25 * 220)
    assert minimap.accessibleDescription() == "In sight: 25.0% to 50.0% of the width"
    graph.camera.reset_zoom()
    assert not minimap.isVisible()


def test_it_shows_the_boxes_in_their_colours(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    look_at(graph, 0.0, 0.999, wait_until)
    image = minimap.grab().toImage()
    row_px = (minimap.height() - 2) / 3
    rows = [round(1 + (row + 0.5) * row_px) for row in range(3)]
    columns = [round(1 + share * 220) for share in (0.3, 0.9)]
    assert [image.pixel(columns[0], y) for y in rows] == [GREY, COLOURS["main"], COLOURS["load"]]
    assert image.pixel(columns[1], rows[1]) == COLOURS["idle"]


def test_what_is_not_in_sight_is_veiled(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    look_at(graph, 0.5, 0.6, wait_until)
    image = minimap.grab().toImage()
    y = round(1 + 1.5 * (minimap.height() - 2) / 3)
    veiled = QColor(image.pixel(20, y))
    assert veiled != QColor.fromRgb(COLOURS["main"])
    assert veiled.red() > veiled.green() > 0


def test_a_search_stands_out_in_it_too(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    look_at(graph, 0.0, 0.999, wait_until)
    place = (60, round(1 + 1.5 * (minimap.height() - 2) / 3))
    before = minimap.grab().toImage().pixel(*place)
    assert graph.scene is not None
    names = list(graph.scene.tree.frame_name)
    graph.set_highlight(Highlight(np.array([name == "idle" for name in names])))
    assert minimap.grab().toImage().pixel(*place) != before


def test_a_click_goes_there(graph: FlameView, minimap: Minimap, wait_until: WaitUntil) -> None:
    look_at(graph, 0.0, 0.2, wait_until)
    QTest.mouseClick(minimap, LEFT, pos=place_at(minimap, 0.7))
    assert wanted(graph).left == pytest.approx(0.6, abs=0.01)
    assert wanted(graph).span == pytest.approx(0.2)
    assert graph.selected == -1  # what lies below it was not clicked


def test_a_drag_within_the_part_moves_it(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    look_at(graph, 0.2, 0.4, wait_until)
    drag(minimap, 0.3, 0.6)
    assert wanted(graph).left == pytest.approx(0.5, abs=0.01)
    assert wanted(graph).span == pytest.approx(0.2)


def test_a_drag_beside_it_draws_another_part(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    look_at(graph, 0.0, 0.1, wait_until)
    drag(minimap, 0.8, 0.4)
    assert wanted(graph).left == pytest.approx(0.4, abs=0.01)
    assert wanted(graph).right == pytest.approx(0.8, abs=0.01)


def drag(minimap: Minimap, begin: float, end: float) -> None:
    QTest.mousePress(minimap, LEFT, pos=place_at(minimap, begin))
    QTest.mouseMove(minimap, place_at(minimap, (begin + end) / 2))
    QTest.mouseMove(minimap, place_at(minimap, end))
    QTest.mouseRelease(minimap, LEFT, pos=place_at(minimap, end))


def test_keys_move_and_zoom(graph: FlameView, minimap: Minimap, wait_until: WaitUntil) -> None:
    look_at(graph, 0.2, 0.4, wait_until)
    minimap.setFocus()
    for key, left, right in (
        (KEY.Key_Right, 0.25, 0.45),
        (KEY.Key_Left, 0.2, 0.4),
        (KEY.Key_End, 0.8, 1.0),
        (KEY.Key_Home, 0.0, 0.2),
    ):
        QTest.keyClick(minimap, key)
        assert wanted(graph).left == pytest.approx(left)
        assert wanted(graph).right == pytest.approx(right)
    QTest.keyClick(minimap, KEY.Key_Plus)
    assert wanted(graph).span == pytest.approx(0.2 / 1.5625)
    QTest.keyClick(minimap, KEY.Key_Minus)
    assert wanted(graph).span == pytest.approx(0.2)
    QTest.keyClick(minimap, KEY.Key_0)
    settle(graph, wait_until)
    assert not minimap.isVisible()
    wait_until(graph.hasFocus)


def test_rows_beyond_the_edge_are_marked(
    graph: FlameView, minimap: Minimap, tmp_path: Path, wait_until: WaitUntil
) -> None:
    graph.set_scene(make_scene(";".join(f"f{n}" for n in range(199)) + " 5", tmp_path))
    graph.camera.scroll_to(2000.0)
    assert minimap.isVisible()
    assert minimap.sight.top() == pytest.approx(1 + 2000 / 4000 * 84, abs=0.5)
    assert minimap.sight.height() == pytest.approx(graph.height() / 4000 * 84, abs=0.5)
    graph.set_geometry(RowGeometry(is_upward=True))
    assert minimap.geometry().top() == 10
    assert minimap.sight.bottom() == pytest.approx(1 + 84 - 2000 / 4000 * 84, abs=0.5)
    minimap.grab()


def test_a_very_small_part_is_still_seen(
    graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    look_at(graph, 0.5, 0.5 + 1e-9, wait_until)
    assert minimap.sight.width() >= 4
    look_at(graph, 1 - 1e-9, 1.0, wait_until)
    assert minimap.sight.right() <= minimap.width() - 1


def test_there_is_none_in_a_small_graph(
    panel: FlamePanel, graph: FlameView, minimap: Minimap, wait_until: WaitUntil
) -> None:
    panel.resize(300, 400)
    look_at(graph, 0.2, 0.4, wait_until)
    assert not minimap.isVisible()
    panel.resize(900, 400)
    assert minimap.isVisible()


def test_the_menu_leads_to_it_and_can_do_without(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "web.collapsed"
    path.write_text("main;load 60\nmain;save 20\n")
    app.open_files([str(path)])
    wait_until(
        lambda: app.window.page is not None and app.window.page.flame.graph.scene is not None
    )
    page = app.window.page
    assert page is not None
    minimap = page.flame.minimap
    assert minimap is not None
    page.graphs.camera.restore(View(0.2, 0.4))
    wait_until(minimap.isVisible)
    action = next(a for a in app.window._view.moves if "mi&nimap" in a.text())
    action.trigger()
    assert minimap.hasFocus()
    QTest.keyClick(minimap, KEY.Key_Escape)  # out of a control, into the view
    assert page.flame.graph.hasFocus()
    assert minimap.isVisible()
    app.window._choices["minimap"].choose("never")
    assert not minimap.isVisible()
    assert app.preferences.choice("minimap") == "never"


def test_it_takes_a_quarter_of_a_small_graph(panel: FlamePanel, minimap: Minimap) -> None:
    panel.graph.camera.zoom_to(1)
    panel.resize(440, 170)
    QApplication.processEvents()
    assert minimap.isVisible()
    assert minimap.width() <= 0.26 * panel.graph.width()
    assert minimap.height() <= 0.26 * panel.graph.height()
    panel.resize(1000, 400)
    QApplication.processEvents()
    assert minimap.width() > 200
