"""Views of a tab beside each other: by key, menu, drag; remembered for each kind of profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton, QWidget

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.view_layout import make_preset
from stackglass_viewer.view.window.pane_border import DropMark, PaneBorder
from stackglass_viewer.view.window.pane_head import PaneHead
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
KEY = Qt.Key
LEFT = Qt.MouseButton.LeftButton
HEAP = Path(__file__).parents[2] / "corpus" / "go.http.heap.gc.pb.gz"


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = tmp_path / "cpu.pb.gz"
    made.write_bytes(encode_stacks("main;load;parse 30\nmain;save 10\nidle 4"))
    return str(made)


def open_page(app: App, path: str, wait_until: WaitUntil) -> tuple[ProfilePage, Document]:
    n_before = len(app.documents)
    app.open_files((path,))
    wait_until(lambda: len(app.documents) > n_before)
    page, document = list(app.documents.items())[-1]
    wait_until(lambda: document.info is not None and app.window.page is page)
    app.window.activateWindow()
    page.focus_view()
    settle()
    return page, document


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def list_seen(page: ProfilePage) -> dict[str, QRect]:
    """The views that can be seen, and where in the area."""
    made = page.area._widgets
    return {view: each.geometry() for view, each in made.items() if each.isVisible()}


def find_head(page: ProfilePage, view: str) -> PaneHead:
    return next(each for each in page.area.findChildren(PaneHead) if each._view == view)


def press(page: ProfilePage, *keys: str) -> None:
    """Keys as menus have them, ``B, 3``."""
    for key in keys:
        target = QApplication.focusWidget() or page
        QTest.keySequence(target, key)
    settle()


def drag(widget: QWidget, to: QPoint, *, on_way: Callable[[], None] = settle) -> None:
    """``to``: on the screen."""
    middle = QPoint(10, widget.height() // 2)
    QTest.mousePress(widget, LEFT, pos=middle)
    QTest.mouseMove(widget, middle + QPoint(30, 30))
    QTest.mouseMove(widget, widget.mapFromGlobal(to))
    on_way()
    QTest.mouseRelease(widget, LEFT, pos=widget.mapFromGlobal(to))
    settle()


def test_two_by_two_by_key(start: Callable[[], App], path: str, wait_until: WaitUntil) -> None:
    page, document = open_page(start(), path, wait_until)
    press(page, "B, 3", "Shift+B, 6", "B, V", "Shift+B, Y")
    seen = list_seen(page)
    assert set(seen) == {"flame", "tree", "top", "source"}
    assert seen["flame"].x() == seen["tree"].x() < seen["top"].x() == seen["source"].x()
    assert seen["flame"].bottom() < seen["tree"].top()
    assert seen["top"].bottom() < seen["source"].top()
    assert page.view == "tree"
    assert page.tables.tree is not None
    assert page.tables.tree.hasFocus()
    assert document.source.is_watched
    whole = page.area.rect()
    assert all(whole.contains(place) for place in seen.values())


def test_tab_goes_through_the_views_as_they_stand(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    """It went through them as they were made: the table, though on the left, after the graph."""
    page, _ = open_page(start(), path, wait_until)
    press(page, "B, 3", "Shift+B, Y")
    flame = page.flame.mapToGlobal(page.flame.rect().center())
    assert page.layout_choice.shown.views == ("flame", "top", "tree")
    assert list_tabbed(page) == ["flame", "top", "tree"]
    drag(find_head(page, "tree"), flame)
    assert page.layout_choice.shown.views == ("tree", "top", "flame")
    assert list_tabbed(page) == ["tree", "top", "flame"]


def list_tabbed(page: ProfilePage) -> list[str]:
    """The views in the order in which Tab comes to them, from the window's tabs on."""
    window, passed = page.window(), list[str]()
    tabs = page.window().findChild(QTabBar)
    assert tabs is not None
    tabs.setFocus()
    for _ in range(60):
        QTest.keyClick(window.focusWidget(), KEY.Key_Tab)
        focused = window.focusWidget()
        assert focused is not None
        if focused is tabs:
            break
        views = (view for view, each in page.area._widgets.items() if is_in(focused, each))
        passed += [view for view in views if view not in passed]
    return passed


def is_in(focused: QWidget, view: QWidget) -> bool:
    return focused is view or view.isAncestorOf(focused)


def test_view_keys_act_on_the_view_that_has_the_focus(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, document = open_page(start(), path, wait_until)
    press(page, "B, 3")
    assert find_head(page, "top").property("state") == "focused"
    QTest.mouseClick(page.flame.graph, LEFT, pos=QPoint(200, 150))
    settle()
    assert page.view == "flame"
    assert find_head(page, "flame").property("state") == "focused"
    assert find_head(page, "top").property("state") == ""
    press(page, "5")
    assert set(list_seen(page)) == {"sandwich", "top"}
    assert page.view == "sandwich"
    assert page.graphs.sandwich is not None
    focused = QApplication.focusWidget()
    assert focused is not None
    assert page.graphs.sandwich.isAncestorOf(focused)
    assert document.sandwich.is_watched
    press(page, "3")
    assert set(list_seen(page)) == {"sandwich", "top"}, "it is there: it gets the keys"
    assert page.view == "top"


def test_a_function_chosen_in_one_view_is_chosen_in_all(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, document = open_page(start(), path, wait_until)
    press(page, "B, 3", "Shift+B, 5", "Shift+B, 6")
    function = next(n for n in range(10) if document.top.name_of(n) == "save")
    page.top.select_function(function)
    page.top.function_selected.emit(function)
    wait_until(
        lambda: document.sandwich.shown is not None and document.sandwich.shown.name == "save"
    )
    assert document.source.subject is not None
    assert document.source.subject.name == "save"
    assert page.flame.graph._highlight.frame == function


def test_a_hidden_view_is_not_computed(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, document = open_page(start(), path, wait_until)
    press(page, "B, 9", "Shift+B, 8")
    assert document.graph._is_watched
    assert document.summary._is_watched
    press(page, "B, X")
    assert not document.summary._is_watched
    assert document.graph._is_watched
    press(page, "B, Z")
    assert document.graph._is_watched
    assert set(list_seen(page)) == {"graph"}
    press(page, "1")
    assert not document.graph._is_watched
    assert not any(head.isVisible() for head in page.area.findChildren(PaneHead))


def test_a_button_of_a_view_is_dragged_to_where_the_view_is_to_be(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _ = open_page(start(), path, wait_until)
    below = page.area.mapToGlobal(QPoint(page.area.width() // 2, page.area.height() - 20))
    marks: list[QRect] = []

    def look() -> None:
        settle()
        mark = page.area.findChild(DropMark)
        assert mark is not None
        assert mark.isVisible()
        marks.append(mark.geometry())

    drag(page._rail.button("tree"), below, on_way=look)
    seen = list_seen(page)
    assert set(seen) == {"flame", "tree"}
    assert seen["flame"].bottom() < seen["tree"].top()
    assert marks[0].bottom() == page.area.rect().bottom()
    assert marks[0].height() == page.area.height() // 2
    mark = page.area.findChild(DropMark)
    assert mark is not None
    assert not mark.isVisible()
    assert page._rail.button("tree").property("state") == "shown"


def test_what_is_no_view_of_its_own_is_not_dragged(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _ = open_page(start(), path, wait_until)
    drag(page._rail.button("both"), page.area.mapToGlobal(page.area.rect().center()))
    assert page.layout_choice.shown == make_preset("flame")
    drag(page._rail.button("flame"), page.area.mapToGlobal(page.area.rect().center()))
    assert page.layout_choice.shown == make_preset("flame")


def test_a_head_is_dragged_onto_another_view_and_esc_leaves_all_as_it_is(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _ = open_page(start(), path, wait_until)
    press(page, "B, 3")
    middle = page.flame.mapToGlobal(page.flame.rect().center())
    drag(find_head(page, "top"), middle, on_way=lambda: QTest.keyClick(page, KEY.Key_Escape))
    assert page.layout_choice.shown.views == ("flame", "top")
    drag(find_head(page, "top"), middle)
    assert page.layout_choice.shown.views == ("top", "flame")
    drag(find_head(page, "top"), page.area.mapToGlobal(QPoint(-200, -200)))
    assert page.layout_choice.shown.views == ("top", "flame"), "dropped outside"


def test_a_click_on_a_head_gives_its_view_the_keys_and_its_cross_closes_it(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _ = open_page(start(), path, wait_until)
    press(page, "B, 3")
    QTest.mouseClick(find_head(page, "flame"), LEFT, pos=QPoint(40, 12))
    assert page.view == "flame"
    cross = find_head(page, "top").findChildren(QToolButton)[-1]
    QTest.mouseClick(cross, LEFT)
    settle()
    assert set(list_seen(page)) == {"flame"}
    assert page.flame.geometry() == page.area.rect()


def test_borders_are_dragged_and_moved_by_keys(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _ = open_page(start(), path, wait_until)
    press(page, "B, 3")
    border = next(each for each in page.area.findChildren(PaneBorder) if each.isVisible())
    before_px = page.top.width()
    QTest.mousePress(border, LEFT, pos=QPoint(3, 50))
    QTest.mouseMove(border, QPoint(-97, 50))
    QTest.mouseRelease(border, LEFT, pos=QPoint(3, 50))
    assert page.top.width() == before_px + 100
    press(page, "B, Left")
    assert page.top.width() < before_px + 100


@pytest.mark.parametrize("size", [(1024, 640), (1366, 768)])
def test_a_layout_makes_no_window_grow(
    start: Callable[[], App], path: str, wait_until: WaitUntil, size: tuple[int, int]
) -> None:
    app = start()
    page, _ = open_page(app, path, wait_until)
    app.window.resize(*size)
    press(page, "B, 5", "Shift+B, 6", "B, V", "Shift+B, 9")
    assert len(list_seen(page)) == 4
    press(page, "B, R", "Shift+B, 8")
    assert len(list_seen(page)) == 6
    assert (app.window.width(), app.window.height()) == size
    whole = page.area.rect()
    for view, place in list_seen(page).items():
        assert whole.contains(place.topLeft()), view
        assert place.right() <= whole.right(), view


def test_a_kind_of_profile_begins_with_its_layout(
    start: Callable[[], App], path: str, settings: QSettings, wait_until: WaitUntil
) -> None:
    app = start()
    page, _ = open_page(app, path, wait_until)
    press(page, "B, 3", "Shift+B, 6")
    assert json.loads(str(settings.value("layouts"))).keys() == {"cpu"}
    other, document = open_page(app, path, wait_until)
    assert set(list_seen(other)) == {"flame", "top", "source"}
    assert document.source.is_watched
    assert other.view == "source"
    third, _ = open_page(app, str(HEAP), wait_until)
    assert set(list_seen(third)) == {"flame"}, "another kind"
    app.window._view.panes._reset.trigger()  # acts on the tab in front
    app.window.show_page(other)
    app.window._view.panes._reset.trigger()
    assert set(list_seen(other)) == {"flame"}
    assert settings.value("layouts") is None


def test_a_session_comes_back_with_its_layouts(
    start: Callable[[], App], path: str, settings: QSettings, wait_until: WaitUntil
) -> None:
    app = start()
    app.restore_tabs()
    page, _ = open_page(app, path, wait_until)
    press(page, "B, 3")
    border = next(each for each in page.area.findChildren(PaneBorder) if each.isVisible())
    QTest.mousePress(border, LEFT, pos=QPoint(3, 50))
    QTest.mouseMove(border, QPoint(-97, 50))
    share = page.top.width() / page.area.width()
    app.pages.restoring.store()
    settings.remove("layouts")  # of new tabs; those of the session have their own
    again = start()
    again.restore_tabs()
    wait_until(lambda: bool(again.documents))
    back, document = next(iter(again.documents.items()))
    wait_until(lambda: document.info is not None and len(list_seen(back)) == 2)
    assert back.view == "top"
    wait_until(lambda: abs(back.top.width() / back.area.width() - share) < 0.01)
