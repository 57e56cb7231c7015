"""The window itself: as large as pictures are, no larger than its screen; tips of its tabs; Tab."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.capture.group_bar import GroupBar
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage


def test_the_window_opens_within_its_screen(qt: QApplication) -> None:
    window = MainWindow(load_theme("light"))
    assert window.size() == QSize(1280, 800)
    window.resize(20_000, 20_000)
    window.fit_screen()
    room = window.screen().availableSize()
    assert window.width() == room.width()
    assert room.height() - 60 < window.height() < room.height() - 30, "with the frame above it"
    window.resize(300, 200)
    window.fit_screen()
    assert window.size() == QSize(300, 200)
    window.deleteLater()


def test_the_tip_of_a_tab_is_no_markup(qt: QApplication) -> None:
    """The folder was shown as "/tmp/x/", with an x in bold."""
    window, worker, theme = MainWindow(load_theme("light")), Worker("page"), load_theme("light")
    page = ProfilePage(TopModel(worker), HeapModel(), theme)
    path = "/tmp/<b>x</b>/cpu.prof"
    window.add_page(page, "cpu.prof", path)
    assert "&lt;b&gt;x" in window.tabs.tabToolTip(window.tabs.indexOf(page))
    assert window.tip_of(page) == path
    window.deleteLater()
    worker.stop()


def test_tab_goes_down_the_page_whatever_was_made_last(qt: QApplication) -> None:
    """The bar at the top, which is added to the page in its tab, was the last before the tabs."""
    window, worker, theme = MainWindow(load_theme("light")), Worker("page"), load_theme("light")
    page = ProfilePage(TopModel(worker), HeapModel(), theme)
    window.add_page(page, "workers", "")
    bar = page.add_bar(GroupBar)
    page.show_view("both")
    window.show_page(page)
    window.show()
    assert QTest.qWaitForWindowActive(window)
    passed: list[str] = []
    window.tabs.tabBar().setFocus()
    for _ in range(40):
        focused = window.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Tab)
        focused = window.focusWidget()
        if focused is window.tabs.tabBar():
            break
        parts = (bar, page._rail, page._bar, page.area)
        inside = [type(part).__name__ for part in parts if part.isAncestorOf(focused)]
        passed += [name for name in inside if name not in passed[-1:]]
    assert passed == ["GroupBar", "ViewRail", "ProfileBar", "ViewArea"]
    window.deleteLater()
    worker.stop()


def test_a_name_that_would_change_the_line_is_shown_as_such(qt: QApplication) -> None:
    window, worker, theme = MainWindow(load_theme("light")), Worker("page"), load_theme("light")
    page = ProfilePage(TopModel(worker), HeapModel(), theme)
    window.add_page(page, "\u202efdp.zg.bp", "")
    window.show_page(page)
    assert window.tab_of(page) == "\ufffdfdp.zg.bp"
    assert window.windowTitle() == "\ufffdfdp.zg.bp — Stackglass"
    window.set_page_title(page, "two\nlines, a child", "two\nlines")
    assert window.tab_of(page) == "two\ufffdlines"
    assert window.windowTitle() == "two\ufffdlines, a child — Stackglass"
    window.deleteLater()
    worker.stop()
