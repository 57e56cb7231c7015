"""Menus of the window: letters that do not collide, and a height that every screen has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from stackglass_viewer.view.flame.menu import FlameMenu
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme
from stackglass_viewer.view.window.main_window import MainWindow

LEAST_SCREEN_PX = 640
MNEMONIC = re.compile("&([^&])")


@pytest.fixture
def window(qt: QApplication) -> Iterator[MainWindow]:
    theme = load_theme("light")
    apply_theme(qt, theme)
    made = MainWindow(theme)
    made.show_recent(("/tmp/one.prof", "/tmp/two & three.prof"))
    made.filters.show_sets(("slow & steady", "fast"))
    yield made
    made.deleteLater()


def list_menus(menu: QMenu) -> Iterator[QMenu]:
    """It and all menus in it."""
    yield menu
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from list_menus(inner)


def bar_menus(window: MainWindow) -> list[QMenu]:
    menus = [action.menu() for action in window.menuBar().actions()]
    return [menu for menu in menus if isinstance(menu, QMenu)]


def read_letters(texts: list[str]) -> list[str]:
    found = (MNEMONIC.search(text.replace("&&", "")) for text in texts)
    return [match.group(1).lower() for match in found if match is not None]


def assert_apart(where: str, texts: list[str]) -> None:
    letters = Counter(read_letters(texts))
    assert all(n == 1 for n in letters.values()), (where, letters)


def test_no_two_entries_of_a_menu_have_one_letter(window: MainWindow) -> None:
    menus = bar_menus(window)
    assert_apart("bar", [menu.title() for menu in menus])
    assert len(read_letters([menu.title() for menu in menus])) == len(menus) == 5
    frames = (
        FlameMenu(0, FlameView(load_theme("dark"), window), True),
        FunctionMenu(0, window, True),
    )
    for menu in (*menus, *frames):
        for each in list_menus(menu):
            assert_apart(each.title(), [action.text() for action in each.actions()])


def test_every_entry_of_ours_has_a_letter(window: MainWindow) -> None:
    of_users = {"/tmp/one.prof", "/tmp/two && three.prof", "slow && steady", "fast"}
    for menu in bar_menus(window):
        for each in list_menus(menu):
            texts = [action.text() for action in each.actions() if not action.isSeparator()]
            without = [text for text in texts if not read_letters([text]) and text not in of_users]
            assert not without, each.title()


def test_one_thing_has_one_name(window: MainWindow) -> None:
    """The start page had *Try* for *Start*, and the opposite of *Taller* was *Lower*."""
    menus = [each for menu in bar_menus(window) for each in list_menus(menu)]
    texts = {action.text().replace("&", "") for each in menus for action in each.actions()}
    buttons = {each.text().strip() for each in window.start.findChildren(QPushButton)}
    assert "Start the demo" in texts & buttons
    assert {"Taller", "Shorter"} <= texts


def test_menus_fit_the_smallest_screen(window: MainWindow) -> None:
    bar_px = window.menuBar().sizeHint().height()
    for menu in bar_menus(window):
        for each in list_menus(menu):
            assert each.sizeHint().height() + bar_px <= LEAST_SCREEN_PX, each.title()


def test_recent_files_are_shown_as_they_are_called(window: MainWindow) -> None:
    texts = [action.text() for action in window._recent.actions()]
    assert texts[1] == "/tmp/two && three.prof"


def test_a_choice_menu_goes_on_to_the_next(window: MainWindow) -> None:
    chosen: list[tuple[str, str]] = []
    window.setting_chosen.connect(lambda group, key: chosen.append((group, key)))
    levels = window._choices["native"]
    levels.show_choice("libraries")
    for _ in range(2):
        levels.choose_next()
    window._choices["editor"].choose("pycharm")
    assert chosen == [("native", "python"), ("native", "all"), ("editor", "pycharm")]
    assert levels.choice == "all"


def test_sets_that_are_shown_again_leave_no_menu_behind(window: MainWindow) -> None:
    for _ in range(4):
        window.filters.show_sets(("one", "two"))
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(window.filters.findChildren(QMenu)) == 1
    window.filters.show_sets(())
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not window.filters.findChildren(QMenu)
