"""Pages behind their tabs: what is painted when a text in one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QMainWindow, QWidget

from stackglass_viewer.view.widgets.page_tabs import PageTabs

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
