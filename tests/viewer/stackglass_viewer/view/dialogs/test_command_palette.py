"""The command palette over the window's menus."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.dialogs.command_palette import CommandPalette, list_actions
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.main_window import MainWindow

KEY = Qt.Key


@pytest.fixture
def window(qt: QApplication) -> Iterator[MainWindow]:
    made = MainWindow(load_theme("light"))
    for group, key in (("theme", "system"), ("tree", "callers")):
        made.show_choice(group, key)
    made.show()
    yield made
    made.hide()
    made.deleteLater()


@pytest.fixture
def palette(window: MainWindow) -> Iterator[CommandPalette]:
    made = CommandPalette(window.menuBar(), window)
    made.show()
    yield made
    made.close()


def list_titles(palette: CommandPalette) -> list[str]:
    results = palette._results
    items = [results.topLevelItem(row) for row in range(results.topLevelItemCount())]
    return [item.text(0) for item in items if item is not None]


def test_every_entry_of_the_menus_that_is_enabled_is_a_command(window: MainWindow) -> None:
    found = {command.title: command for command, _ in list_actions(window.menuBar())}
    assert found["Open…"].keys == "Ctrl+O"
    assert found["Colours ▸ Theme ▸ Follow the desktop"].is_chosen
    assert not found["Colours ▸ Theme ▸ Dark"].is_chosen
    assert "Flame graph" not in found  # there is no tab to show it in
    assert "Pause or resume" not in found
    assert "" not in found


def test_entries_of_a_submenu_that_is_disabled_are_no_commands(window: MainWindow) -> None:
    """Without a tab, filters of frames were offered, and did nothing."""
    window.filters.show_sets(("mine",))
    titles = [command.title for command, _ in list_actions(window.menuBar())]
    assert [title for title in titles if title.startswith("Filter")] == []


def test_a_file_with_an_ampersand_keeps_it(window: MainWindow) -> None:
    window.show_recent(("/tmp/a&b.prof",))
    titles = [command.title for command, _ in list_actions(window.menuBar())]
    assert [title for title in titles if "prof" in title and "tmp" in title] == [
        "Open recent ▸ /tmp/a&b.prof"
    ]


def test_typing_and_enter_give_a_command_once_the_palette_is_closed(
    window: MainWindow, palette: CommandPalette
) -> None:
    given: list[tuple[str, str, bool]] = []
    window.setting_chosen.connect(lambda *setting: given.append((*setting, palette.isVisible())))
    QTest.keyClicks(palette._field, "dark")
    assert list_titles(palette) == [
        "Colours ▸ Theme ▸ Dark",
        "Colours ▸ Theme ▸ High contrast, dark",
    ]
    QTest.keyClick(palette._field, KEY.Key_Return)
    assert given == [("theme", "dark", False)]


def test_arrows_move_while_one_types(window: MainWindow, palette: CommandPalette) -> None:
    given: list[str] = []
    window.setting_chosen.connect(lambda _, key: given.append(key))
    QTest.keyClicks(palette._field, "theme")
    assert list_titles(palette)[:3] == [
        "Colours ▸ Theme ▸ Follow the desktop  ✓",
        "Colours ▸ Theme ▸ Dark",
        "Colours ▸ Theme ▸ Light",
    ]
    QTest.keyClick(palette._field, KEY.Key_Down)
    QTest.keyClick(palette._field, KEY.Key_Down)
    QTest.keyClick(palette._field, KEY.Key_Return)
    assert given == ["light"]


def test_a_click_gives_a_command_and_nothing_found_none(
    window: MainWindow, palette: CommandPalette
) -> None:
    given: list[str] = []
    window.attach_requested.connect(lambda: given.append("attach"))
    QTest.keyClicks(palette._field, "nothing of this name")
    QTest.keyClick(palette._field, KEY.Key_Return)
    assert palette.isVisible()
    palette._field.setText("attach")
    results = palette._results
    item = results.topLevelItem(0)
    assert item is not None
    QTest.mouseClick(
        results.viewport(), Qt.MouseButton.LeftButton, pos=results.visualItemRect(item).center()
    )
    assert given == ["attach"]
    assert not palette.isVisible()


def test_the_list_is_as_high_as_its_rows(window: MainWindow, palette: CommandPalette) -> None:
    results, most_px = palette._results, palette.height()
    assert results.verticalScrollBar().maximum() > 0, "all commands have no room at once"
    palette._field.setText("dark")
    row_px = results.sizeHintForRow(0)
    assert 2 * row_px <= results.height() < 3 * row_px
    assert results.verticalScrollBar().maximum() == 0
    assert palette.height() < most_px // 2
    palette._field.setText("")
    assert palette.height() == most_px


def test_a_search_that_finds_nothing_answers(window: MainWindow, palette: CommandPalette) -> None:
    assert palette._nothing.isHidden()
    palette._field.setText("nothing of this name")
    assert (palette._nothing.text(), palette._nothing.isVisible()) == ("No command found.", True)
    assert palette._results.isHidden()
    palette._field.setText("attach")
    assert palette._nothing.isHidden()
    assert palette._results.isVisible()


def test_the_palette_opens_from_the_menu(window: MainWindow) -> None:
    actions = {command.title: action for command, action in list_actions(window.menuBar())}
    actions["Commands…"].trigger()
    (palette,) = window.findChildren(CommandPalette)
    assert palette.isVisible()
    palette.close()
