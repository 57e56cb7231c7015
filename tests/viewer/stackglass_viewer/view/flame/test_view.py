"""The flame widget, by real events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.accessible import find_current, find_part_at, list_parts
from harness.profiles import grow_tree
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    Highlight,
    extent_of,
    name_of,
)
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.theme import load_theme

STACKS = """
main;load;parse 30
main;load;check 20
main;save 40
idle 10
"""
RED, GREEN, BLUE, GREY = 0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFF808080
LEFT = Qt.MouseButton.LeftButton


def make_scene(text: str, folder: Path) -> FlameScene:
    tree, values = grow_tree(text, folder)
    colours = np.array(
        [(RED, GREEN, BLUE)[n % 3] for n in range(len(tree.frame_name))], dtype=np.uint32
    )
    return FlameScene(tree, values, lay_out(tree, values), colours, GREY)


@pytest.fixture
def view(qt: QApplication, tmp_path: Path) -> Iterator[FlameView]:
    made = FlameView(load_theme("light"))
    made.node_activated.connect(made.camera.zoom_to)
    made.resize(1000, 200)
    made.set_scene(make_scene(STACKS, tmp_path))
    made.show()
    QTest.qWaitForWindowExposed(made)
    yield made
    made.close()
    made.deleteLater()


def at(view: FlameView, row: int, fraction: float) -> QPoint:
    return QPoint(round(fraction * view.width()), row * ROW_PX + ROW_PX // 2)


def test_what_is_pressed_is_under_the_pointer(view: FlameView) -> None:
    """Where a menu was closed the pointer has moved without being heard."""
    QTest.mouseMove(view, at(view, 2, 0.1))
    assert name(view, view.hovered) == "load"
    QTest.mousePress(view, LEFT, pos=at(view, 2, 0.6))
    assert name(view, view.hovered) == "save"
    QTest.mouseRelease(view, LEFT, pos=at(view, 2, 0.6))


def settle(view: FlameView, wait_until: Any) -> None:
    wait_until(lambda: view.camera.shown == view.camera.navigation.view)


def name(view: FlameView, node: int) -> str:
    assert view.scene is not None
    return name_of(view.scene, node)


def turn_wheel(
    view: FlameView, place: QPoint, notches: float, modifiers: Any = Qt.KeyboardModifier.NoModifier
) -> None:
    event = QWheelEvent(
        QPointF(place),
        view.mapToGlobal(QPointF(place)),
        QPoint(),
        QPoint(0, round(notches * 120)),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_a_click_selects_the_frame(view: FlameView, heard: Any) -> None:
    view.node_selected.connect(heard.hear)
    QTest.mouseClick(view, LEFT, pos=at(view, 2, 0.1))
    assert name(view, heard.last) == "load"
    assert view.selected == heard.last


def test_the_pointer_shows_the_frame_at_once(view: FlameView, heard: Any) -> None:
    view.node_hovered.connect(heard.hear)
    QTest.mouseMove(view, at(view, 1, 0.95))
    assert name(view, heard.last) == "idle"
    QTest.mouseMove(view, at(view, 5, 0.95))
    assert heard.last == -1


def test_double_click_zooms_to_the_frame(view: FlameView, wait_until: Any) -> None:
    QTest.mouseDClick(view, LEFT, pos=at(view, 2, 0.1))
    settle(view, wait_until)
    assert view.camera.navigation.view.left == pytest.approx(0.0)
    assert view.camera.navigation.view.right == pytest.approx(0.5)


def test_buttons_of_the_mouse_step_back_and_forward(view: FlameView) -> None:
    steps: list[int] = []
    view.step_requested.connect(steps.append)
    QTest.mouseClick(view, Qt.MouseButton.BackButton)
    QTest.mouseClick(view, Qt.MouseButton.ForwardButton)
    assert steps == [-1, 1]


def test_ctrl_and_wheel_zoom_at_the_pointer(view: FlameView) -> None:
    place = at(view, 1, 0.7)
    turn_wheel(view, place, 2, Qt.KeyboardModifier.ControlModifier)
    seen = view.camera.navigation.view
    assert seen.span == pytest.approx(1 / 1.25**2)
    assert (0.7 - seen.left) / seen.span == pytest.approx(0.7, abs=0.01)


def test_the_wheel_scrolls_no_further_than_the_graph(view: FlameView) -> None:
    view.setMinimumSize(0, 0)
    view.resize(1000, 2 * ROW_PX)
    turn_wheel(view, at(view, 1, 0.5), -1)
    assert view.camera.navigation.view.top_px == 2 * ROW_PX
    turn_wheel(view, at(view, 1, 0.5), 9)
    assert view.camera.navigation.view.top_px == 0.0


def test_dragging_pans_and_selects_nothing(view: FlameView, heard: Any) -> None:
    view.node_selected.connect(heard.hear)
    turn_wheel(view, at(view, 1, 0.5), 4, Qt.KeyboardModifier.ControlModifier)
    before = view.camera.navigation.view
    QTest.mousePress(view, LEFT, pos=QPoint(500, 30))
    for x in (480, 440, 400):
        QTest.mouseMove(view, QPoint(x, 30))
    QTest.mouseRelease(view, LEFT, pos=QPoint(400, 30))
    moved = view.camera.navigation.view.left - before.left
    assert moved == pytest.approx(0.1 * before.span, rel=0.15)
    assert heard.values == []


def test_arrows_move_the_selection(view: FlameView) -> None:
    view.setFocus()
    for key, expected in (
        (Qt.Key.Key_Down, "main"),
        (Qt.Key.Key_Down, "load"),
        (Qt.Key.Key_Right, "save"),
        (Qt.Key.Key_Left, "load"),
        (Qt.Key.Key_Up, "main"),
    ):
        QTest.keyClick(view, key)
        assert name(view, view.selected) == expected


def test_a_key_acts_on_what_was_pointed_at_or_selected_last(view: FlameView, heard: Any) -> None:
    """A search selected a function, and ``C`` showed the one under the pointer at rest."""
    view.sandwich_requested.connect(heard.hear)
    view.setFocus()
    QTest.mouseMove(view, at(view, 1, 0.95))
    QTest.keyClick(view, Qt.Key.Key_C)
    assert name(view, heard.last) == "idle"
    scene = view.scene
    assert scene is not None
    found = next(node for node in range(scene.tree.n_nodes) if name(view, node) == "check")
    view.go_to(found)
    QTest.keyClick(view, Qt.Key.Key_C)
    assert name(view, heard.last) == "check"
    QTest.mouseMove(view, at(view, 1, 0.96))
    QTest.keyClick(view, Qt.Key.Key_C)
    assert name(view, heard.last) == "idle"
    view.select(found)  # as another view does at each refresh: it was selected already
    QTest.keyClick(view, Qt.Key.Key_C)
    assert name(view, heard.last) == "idle"


def test_keys_zoom_pan_and_reset(view: FlameView, wait_until: Any) -> None:
    QTest.keyClick(view, Qt.Key.Key_Plus)
    zoomed = view.camera.navigation.view
    assert zoomed.span < 1.0
    QTest.keyClick(view, Qt.Key.Key_D)
    assert view.camera.navigation.view.left > zoomed.left
    QTest.keyClick(view, Qt.Key.Key_A)
    assert view.camera.navigation.view.left == pytest.approx(zoomed.left)
    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.camera.navigation.view == View()
    settle(view, wait_until)


def test_enter_zooms_to_the_selection(view: FlameView) -> None:
    QTest.mouseClick(view, LEFT, pos=at(view, 2, 0.6))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.camera.navigation.view.left == pytest.approx(0.5)


def test_a_refresh_keeps_zoom_and_selection_by_stack(
    view: FlameView, wait_until: Any, tmp_path: Path
) -> None:
    QTest.mouseDClick(view, LEFT, pos=at(view, 2, 0.6))
    QTest.mouseClick(view, LEFT, pos=at(view, 2, 0.5))
    settle(view, wait_until)
    assert name(view, view.selected) == "save"
    view.set_scene(make_scene("other 100\nmain;save 60\nmain;load;parse 40", tmp_path))
    assert name(view, view.selected) == "save"
    assert view.camera.navigation.view.left == pytest.approx(100 / 200)
    assert view.camera.navigation.view.right == pytest.approx(160 / 200)


def grab(view: FlameView) -> QImage:
    return view.grab().toImage()


def test_boxes_have_the_colours_of_their_frames(view: FlameView) -> None:
    scene = view.scene
    assert scene is not None
    image = grab(view)
    for row, fraction in ((0, 0.5), (1, 0.6), (2, 0.3), (2, 0.7)):
        place = at(view, row, fraction)
        ratio = image.devicePixelRatio()
        seen = image.pixel(round(place.x() * ratio), round(place.y() * ratio))
        node = view._node_at(QPointF(place))
        frame = int(scene.tree.frame[node])
        assert seen == (GREY if frame < 0 else int(scene.colours[frame]))


def test_a_graph_that_is_hidden_keeps_no_image(view: FlameView) -> None:
    before = grab(view)
    pixels = view._painter._pixels
    assert pixels is not None
    assert pixels.nbytes >= 4 * view.width() * view.height()
    view.hide()
    assert view._painter._pixels is None
    view.show()
    assert grab(view) == before


def test_what_a_search_did_not_find_fades(view: FlameView) -> None:
    scene = view.scene
    assert scene is not None
    before = grab(view).pixelColor(at(view, 2, 0.45))
    view.set_highlight(Highlight(np.zeros(len(scene.colours), dtype=np.bool_)))
    after = grab(view).pixelColor(at(view, 2, 0.45))
    assert before != after
    assert after.lightness() > before.lightness()


def test_an_empty_graph_says_why(view: FlameView) -> None:
    view.set_scene(None)
    empty = grab(view)
    view.set_placeholder("No flame graph", "There are no stacks.")
    assert grab(view) != empty


@pytest.mark.parametrize("size", [(161, 121), (1, 1), (3000, 40)])
def test_any_size_can_be_painted(view: FlameView, size: tuple[int, int]) -> None:
    view.setMinimumSize(0, 0)
    view.resize(*size)
    assert not grab(view).isNull()


def test_going_to_a_box_keeps_the_zoom_as_far_as_it_can(view: FlameView, wait_until: Any) -> None:
    scene = view.scene
    assert scene is not None
    nodes = {name_of(scene, node): node for node in range(scene.tree.n_nodes)}
    view.camera.zoom_to(nodes["save"])
    settle(view, wait_until)
    before = view.camera.shown
    view.go_to(nodes["idle"])  # beside it, and narrower
    settle(view, wait_until)
    shown = view.camera.shown
    assert shown.span == pytest.approx(before.span)
    left, right, _ = extent_of(scene, nodes["idle"])  # type: ignore[misc] # it has a box
    assert shown.left <= left < right <= shown.right
    view.camera.zoom_to(nodes["idle"])
    settle(view, wait_until)
    view.go_to(nodes["load"])  # wider than what is shown: just as wide
    settle(view, wait_until)
    left, right, _ = extent_of(scene, nodes["load"])  # type: ignore[misc] # it has a box
    assert view.camera.shown.span == pytest.approx(right - left)


def test_boxes_in_sight_are_known_to_screen_readers(view: FlameView) -> None:
    parts = list_parts(view)
    assert view.scene is not None
    nodes = view.scene.layout.node.tolist()
    assert [name for name, _ in parts] == [name_of(view.scene, node) for node in nodes]
    assert parts[0][0] == "all"
    assert "100% of all" in parts[0][1]
    QTest.keyClick(view, Qt.Key.Key_Down)
    selected = name_of(view.scene, view.selected)
    assert find_current(view) == selected
    place = at(view, 1, 0.01)
    assert find_part_at(view, place.x(), place.y()) == name_of(
        view.scene, int(view.scene.layout.node[1])
    )
    view.camera.navigation.show(0.0, 0.001, 0.0)
    assert len(list_parts(view)) < len(parts)


def test_boxes_are_known_where_they_are_when_the_root_is_at_the_bottom(view: FlameView) -> None:
    list_parts(view)  # where they are now is remembered
    view.set_geometry(RowGeometry(is_upward=True))
    whole = QAccessible.queryAccessibleInterface(view)
    root = whole.child(0)
    assert root.text(QAccessible.Text.Name) == "all"
    bottom_px = view.mapToGlobal(view.rect().bottomLeft()).y()
    assert root.rect().bottom() == bottom_px
    assert find_part_at(view, 5, view.height() - 5) == "all"


def test_a_placeholder_that_is_said_again_paints_nothing(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process says it with each status: several times a second."""
    view = FlameView(load_theme("light"))
    view.resize(300, 200)
    first = grab(view)
    n_updates: list[int] = []
    monkeypatch.setattr(view, "update", lambda: n_updates.append(1))
    view.set_placeholder("No samples", "There are none.")
    view.set_placeholder("No samples", "There are none.")
    assert len(n_updates) == 1
    assert grab(view) != first
    view.set_placeholder("No samples", "There is one.")
    assert len(n_updates) == 2
    view.deleteLater()
