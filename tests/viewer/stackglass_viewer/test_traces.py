"""Views of a memory trace beside those of every profile: key, menu, mouse; remembered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from harness.accessible import list_controls, list_nameless
from harness.session_writer import write_session
from harness.shop_trace import list_source
from stackglass_viewer.app import App
from stackglass_viewer.presenter.memory_trace.document import TraceDocument
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.view.memory_trace.views import TraceViews
from stackglass_viewer.view.window.pane_head import PaneHead
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton
BEGIN = {"curve", "map", "side", "flame"}


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(write_session(list_source(), tmp_path / "shop.sgm"))


def open_page(
    app: App, path: str, wait_until: WaitUntil
) -> tuple[ProfilePage, TraceDocument, TraceViews]:
    n_before = len(app.documents)
    app.open_files((path,))
    wait_until(lambda: len(app.documents) > n_before)
    page, document = list(app.documents.items())[-1]
    assert isinstance(document, TraceDocument)
    wait_until(lambda: document.scene is not None and app.window.page is page)
    app.window.activateWindow()
    page.focus_view()
    settle()
    assert page.trace is not None
    return page, document, page.trace


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def list_seen(page: ProfilePage) -> dict[str, QRect]:
    """The views that can be seen, and where in the area."""
    made = page.area._widgets
    return {view: each.geometry() for view, each in made.items() if each.isVisible()}


def press(page: ProfilePage, *keys: str) -> None:
    """Keys as menus have them, ``B, 3``."""
    for key in keys:
        target = QApplication.focusWidget() or page
        QTest.keySequence(target, key)
    settle()


def drag(widget: QWidget, to: QPoint) -> None:
    """``to``: on the screen."""
    middle = QPoint(40, widget.height() // 2)
    QTest.mousePress(widget, LEFT, pos=middle)
    QTest.mouseMove(widget, middle + QPoint(30, 30))
    QTest.mouseMove(widget, widget.mapFromGlobal(to))
    settle()
    QTest.mouseRelease(widget, LEFT, pos=widget.mapFromGlobal(to))
    settle()


def find_head(page: ProfilePage, view: str) -> PaneHead:
    return next(each for each in page.area.findChildren(PaneHead) if each._view == view)


def test_a_trace_begins_with_curve_map_and_legend_above_its_graph(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _, _ = open_page(start(), path, wait_until)
    seen = list_seen(page)
    assert set(seen) == BEGIN
    assert seen["curve"].left() == seen["map"].left() == seen["flame"].left()
    assert seen["curve"].width() == seen["map"].width(), "one time is at one x in both"
    assert seen["side"].left() > seen["map"].right()
    assert seen["map"].bottom() < seen["flame"].top()
    assert page.view == "flame"
    press(page, "2")
    assert set(list_seen(page)) == {*BEGIN, "top"}


def test_every_control_of_every_view_of_a_trace_has_a_name(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    """For screen readers."""
    page, _, views = open_page(start(), path, wait_until)
    views.map.setFocus()
    settle()
    for view, info in TRACE_VIEWS.items():
        is_beside = view in list_seen(page)
        press(page, f"B, {info.key}")
        assert view in list_seen(page)
        assert list_nameless(page) == [], view
        if not is_beside:
            press(page, "B, X")
    assert len(list(list_controls(page))) > 60


def test_views_of_a_trace_are_put_beside_others_by_key(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, document, views = open_page(start(), path, wait_until)
    assert not document.lanes._is_watched
    views.map.setFocus()
    settle()
    press(page, "B, T", "Shift+B, 3")
    seen = list_seen(page)
    assert set(seen) == {*BEGIN, "lanes", "top"}
    assert seen["map"].top() == seen["lanes"].top() < seen["top"].top()
    assert seen["map"].right() < seen["lanes"].left() == seen["top"].left()
    assert document.lanes._is_watched
    press(page, "B, V")
    assert page.layout_choice.shown.focused == "side"
    press(page, "B, Shift+V", "B, Shift+V", "B, X")
    assert set(list_seen(page)) == {*BEGIN, "top"}, "the lanes are closed"
    assert not document.lanes._is_watched


def test_escape_leads_on_from_a_view_of_the_trace(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _, views = open_page(start(), path, wait_until)
    views.map.setFocus()
    settle()
    page.search.set_pattern("load")
    press(page, "Esc")
    assert page.search.pattern == ""
    assert views.map.hasFocus()


def test_views_of_a_trace_are_dragged_by_their_heads(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _, _ = open_page(start(), path, wait_until)
    press(page, "B, 3")
    before = list_seen(page)
    target = before["top"]
    middle = page.area.mapToGlobal(QPoint(target.center().x(), target.bottom() - 12))
    drag(find_head(page, "map"), middle)
    seen = list_seen(page)
    assert set(seen) == set(before)
    assert seen["map"].top() > seen["top"].bottom()
    assert seen["map"].left() == seen["top"].left()


def test_the_bar_has_a_menu_of_what_may_stand_beside(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _, views = open_page(start(), path, wait_until)
    button = next(
        each
        for each in views.bar.findChildren(QToolButton)
        if each.accessibleName() == "Views beside"
    )
    QTest.mouseClick(button, LEFT)
    settle()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    beside = menu.actions()[0].menu()
    assert isinstance(beside, QMenu)
    next(each for each in beside.actions() if each.text() == "Arenas").trigger()
    menu.close()
    settle()
    assert set(list_seen(page)) == {*BEGIN, "space"}


def test_the_menu_bar_has_them_only_for_a_trace(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    app = start()
    open_page(app, path, wait_until)
    panes = app.window._view.panes
    groups = panes._of_traces
    assert len(groups) == 2
    assert all(group.menuAction().isVisible() for group in groups)
    profile = Path(__file__).parents[2] / "corpus" / "go.http.heap.gc.pb.gz"
    n_before = len(app.documents)
    app.open_files((str(profile),))
    wait_until(lambda: len(app.documents) > n_before and app.window.page is not None)
    wait_until(lambda: app.window.page is not None and app.window.page.trace is None)
    settle()
    assert not any(group.menuAction().isVisible() for group in groups)
    assert not any(action.isEnabled() for action, view in panes._puts if view == "map")


def test_the_layout_of_traces_is_remembered(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, _, views = open_page(start(), path, wait_until)
    views.map.setFocus()
    settle()
    press(page, "B, G")
    before = list_seen(page)
    assert set(before) == {*BEGIN, "rates"}
    app = start()
    page, document, _ = open_page(app, path, wait_until)
    wait_until(lambda: list_seen(page) == before)  # the bar of the loading is gone then, too
    assert document.rates._is_watched


def test_what_stands_below_the_curve_is_chosen_in_the_list(
    start: Callable[[], App], path: str, wait_until: WaitUntil
) -> None:
    page, document, views = open_page(start(), path, wait_until)
    views.bar.pane_chosen.emit("space")
    settle()
    assert set(list_seen(page)) == {"curve", "space", "side", "flame"}
    assert views.bar._panes.currentText() == "Arenas"
    wait_until(lambda: document.state._is_watched)
    views.bar.pane_chosen.emit("")
    settle()
    assert set(list_seen(page)) == {"curve", "flame"}
    views.bar.pane_chosen.emit("map")
    settle()
    assert set(list_seen(page)) == BEGIN
