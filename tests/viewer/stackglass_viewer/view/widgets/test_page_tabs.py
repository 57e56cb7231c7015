"""Pages behind their tabs: what is painted when a text in one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QToolButton,
    QWidget,
)

from stackglass_viewer.view.widgets.page_tabs import PageTabs
from stackglass_viewer.view.widgets.tab_list import TabListButton
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme

WaitUntil = Callable[[Callable[[], bool]], None]


class Beside(QWidget):
    """Counts how often it is painted and resized."""

    n_painted = n_resized = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.n_resized += 1

    def paintEvent(self, event: QPaintEvent) -> None:
        self.n_painted += 1


class Page(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.label, self.beside = QLabel("0"), Beside()
        row = QHBoxLayout(self)
        row.addWidget(self.label)
        row.addWidget(self.beside, 1)
        self.label.setFixedWidth(300)


@pytest.fixture
def window(qt: QApplication) -> Iterator[QMainWindow]:
    made = QMainWindow()
    made.setCentralWidget(PageTabs())
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def tabs(window: QMainWindow) -> PageTabs:
    found = window.centralWidget()
    assert isinstance(found, PageTabs)
    return found


@pytest.fixture
def page(window: QMainWindow, tabs: PageTabs, wait_until: WaitUntil) -> Page:
    made = Page()
    tabs.addTab(made, "one")
    window.resize(800, 600)
    window.show()
    wait_until(lambda: made.beside.n_painted > 0)
    return made


def settle(qt: QApplication) -> None:
    for _ in range(5):
        qt.processEvents()


def test_a_text_that_changes_paints_nothing_else(qt: QApplication, page: Page) -> None:
    settle(qt)
    page.label.setText("1")
    settle(qt)
    before = page.beside.n_painted
    for number in range(2, 7):
        page.label.setText(str(number))
        settle(qt)
    assert page.beside.n_painted == before


def test_a_longer_title_has_room(qt: QApplication, tabs: PageTabs, page: Page) -> None:
    settle(qt)
    before_px = tabs.tabBar().tabRect(0).width()
    tabs.setTabText(0, "one that has a longer name")
    settle(qt)
    assert tabs.tabBar().tabRect(0).width() > before_px + 50
    assert tabs.tabBar().width() >= tabs.tabBar().tabRect(0).right()


def test_a_page_that_needs_more_widens_the_window(
    qt: QApplication, window: QMainWindow, tabs: PageTabs, page: Page
) -> None:
    settle(qt)
    page.beside.setMinimumWidth(900)
    settle(qt)
    assert window.minimumSizeHint().width() > 900
    assert window.width() > 900


def test_many_tabs_keep_readable_titles(qt: QApplication, tabs: PageTabs, page: Page) -> None:
    """As those of a server's workers: the strip scrolls."""
    for number in range(40):
        tabs.addTab(QWidget(), f"└ {47110 + number}")
    settle(qt)
    bar = tabs.tabBar()
    needed_px = bar.fontMetrics().horizontalAdvance("└ 47110")
    assert all(bar.tabRect(index).width() > needed_px for index in range(1, tabs.count()))
    tabs.setTabText(0, "a very long name of a file, which is cut in its middle.pb.gz")
    settle(qt)
    assert bar.tabRect(0).width() < bar.tabSizeHint(0).width()


FILES = [f"go.http.{part}.work.py3.11.pb.gz" for part in ("cpu2s", "heap.gc", "mutex.delta1s")]


def open_files(qt: QApplication, tabs: PageTabs) -> None:
    for title in FILES * 4:
        tabs.insert(QWidget(), title, 0)
    settle(qt)


def test_names_of_files_are_shown_whole(qt: QApplication, tabs: PageTabs, page: Page) -> None:
    """They differ in the middle, which was cut: ``go.http…s.pb.gz``."""
    open_files(qt, tabs)
    bar = tabs.tabBar()
    for index in range(1, tabs.count()):
        assert bar.tabRect(index).width() >= bar.tabSizeHint(index).width(), index


def find_list(tabs: PageTabs) -> TabListButton:
    button = tabs.cornerWidget(Qt.Corner.TopRightCorner)
    assert isinstance(button, TabListButton)
    return button


def test_the_list_has_a_button_while_the_tabs_do_not_fit(
    qt: QApplication, window: QMainWindow, tabs: PageTabs, page: Page
) -> None:
    button = find_list(tabs)
    settle(qt)
    assert not button.isVisible()
    open_files(qt, tabs)
    assert button.isVisible()
    assert tabs.rect().contains(button.geometry())
    assert tabs.tabBar().geometry().right() <= button.geometry().left()
    window.resize(6000, 600)
    settle(qt)
    assert not button.isVisible()
    window.resize(800, 600)
    settle(qt)
    assert button.isVisible()
    while tabs.count() > 1:
        tabs.removeTab(1)
    settle(qt)
    assert not button.isVisible()
    assert tabs.tabBar().geometry().left() == 0


def test_the_list_ticks_the_front_tab_and_brings_another_to_the_front(
    qt: QApplication, tabs: PageTabs, page: Page
) -> None:
    open_files(qt, tabs)
    tabs.setTabText(2, "a&b.prof")
    tabs.setCurrentIndex(2)
    button = find_list(tabs)
    assert (button.accessibleName(), button.toolTip()) == ("All tabs", "List of all tabs")
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    button.setFocus()
    for _ in range(2):  # the second time with the tabs that are left
        button.menu().aboutToShow.emit()
        actions = button.menu().actions()
        shown = [action.text().replace("&&", "&") for action in actions]
        assert shown == [tabs.tabText(index) for index in range(tabs.count())]
        assert [action.isChecked() for action in actions].index(True) == 2
        assert sum(action.isChecked() for action in actions) == 1
        tabs.removeTab(tabs.count() - 1)
    actions[5].trigger()
    assert tabs.currentIndex() == 5


def test_the_list_opens_by_key(qt: QApplication, tabs: PageTabs, page: Page) -> None:
    open_files(qt, tabs)
    button = find_list(tabs)
    opened: list[int] = []

    def close_menu() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        opened.append(len(menu.actions()))
        menu.close()

    button.menu().aboutToShow.connect(lambda: QTimer.singleShot(0, button, close_menu))
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert opened == [tabs.count()]


def test_the_arrows_of_the_bar_have_room(qt: QApplication, tabs: PageTabs, page: Page) -> None:
    """The padding of other buttons left nothing of them to be seen."""
    apply_theme(qt, load_theme("light"))
    open_files(qt, tabs)
    arrows = tabs.tabBar().findChildren(QToolButton)
    assert len(arrows) == 2
    for arrow, is_enabled in zip(arrows, (False, True), strict=True):
        assert arrow.isVisible()
        assert arrow.width() >= 20
        picture = arrow.grab().toImage()
        colours = {
            picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())
        }
        assert arrow.isEnabled() == is_enabled
        assert (len(colours) > 4) == is_enabled, "the arrow is painted"


def test_a_title_with_an_ampersand_is_shown_whole(tabs: PageTabs, page: Page) -> None:
    """Qt hid the sign, and Alt with the letter after it chose the tab."""
    index = tabs.insert(QWidget(), "a&b.prof", 0)
    tabs.setTabText(0, "ab.prof")
    bar = tabs.tabBar()
    assert bar.tabSizeHint(index).width() > bar.tabSizeHint(0).width()
    assert tabs.tabText(index) == "a&b.prof"
    tabs.setTabText(0, "c&&d")
    assert (tabs.tabText(0), bar.tabText(0)) == ("c&&d", "c&&&&d")


def test_a_page_is_laid_out_once_when_its_tabs_are_first_shown(
    qt: QApplication, window: QMainWindow, tabs: PageTabs
) -> None:
    """Hidden tabs leave their page at its least size, and lay it out again once they are shown."""
    page = Page()
    tabs.addTab(page, "one")
    window.resize(800, 600)
    tabs.hide()
    window.show()
    tabs.place_page(window.size())
    assert page.beside.n_resized == 0
    tabs.show()
    qt.processEvents()
    assert page.beside.n_resized == 1
    assert tabs.size() == window.size()
