"""Capture menu: each control of a capture has a place and a key of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from stackglass.wire.rates import Rates
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.dialogs.command_palette import list_actions
from stackglass_viewer.view.dialogs.shortcut_sheet import _COLUMNS
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage

RUNNING = LiveStatus("running", 7, "shop.py", rates=Rates(100))


@pytest.fixture
def window(qt: QApplication) -> Iterator[MainWindow]:
    worker = Worker("page")
    made = MainWindow(load_theme("light"))
    made.add_page(ProfilePage(TopModel(worker), HeapModel(), load_theme("light")), "shop.py 7", "")
    yield made
    made.deleteLater()
    worker.stop()


def act(window: MainWindow, text: str) -> None:
    menu = window._capture
    menu.aboutToShow.emit()
    next(each for each in menu.actions() if each.text().replace("&", "") == text).trigger()


def attach(window: MainWindow) -> LiveBar:
    assert window.page is not None
    window.page.add_live_controls(ThreadModel())
    window.page.show_status(RUNNING)
    assert window.page.live is not None
    return window.page.live.bar


def test_the_menu_does_what_the_buttons_do(window: MainWindow) -> None:
    bar = attach(window)
    seen: list[str] = []
    bar.clear_requested.connect(lambda: seen.append("clear"))
    bar.detach_requested.connect(lambda: seen.append("detach"))
    bar.attach_requested.connect(lambda: seen.append("attach"))
    bar.span_chosen.connect(seen.append)
    bar.pause_toggled.connect(lambda is_paused: seen.append(f"pause {is_paused}"))
    for text in ("Clear", "Detach", "Last minute", "Pause or resume"):
        act(window, text)
    assert window.page is not None
    window.page.show_status(LiveStatus("detached", 7, "shop.py"))
    act(window, "Attach again")
    assert seen == ["clear", "detach", "1 min", "pause True", "attach"]
    window.page.show_status(LiveStatus("ended", 7, "shop.py"))
    act(window, "Attach again")  # a process that has ended cannot be attached to
    assert len(seen) == 5
    again = next(each for each in window._capture.actions() if "Attach" in each.text())
    assert not again.isEnabled()


def test_a_session_that_has_ended_is_not_paused(window: MainWindow) -> None:
    attach(window)
    assert window.page is not None
    for status, is_enabled in ((RUNNING, True), (LiveStatus("ended", 7), False)):
        window.page.show_status(status)
        window._capture.aboutToShow.emit()
        pause = next(each for each in window._capture.actions() if "Pause" in each.text())
        assert pause.isEnabled() == is_enabled


@pytest.mark.parametrize("way", ["menu", "palette"])
def test_keys_work_again_when_the_state_changes_after_the_menu_is_closed(
    window: MainWindow, way: str
) -> None:
    """Entries that were disabled while the menu was open kept their keys dead."""
    attach(window)
    assert window.page is not None
    window.page.show_status(LiveStatus("detached", 7, "shop.py"))
    if way == "menu":
        window._capture.popup(window.pos())
        window._capture.close()
    else:
        list_actions(window.menuBar())
    window.page.show_status(RUNNING)
    pause = next(each for each in window._capture.actions() if "Pause" in each.text())
    assert pause.isEnabled()


def test_a_list_opens_below_its_button(window: MainWindow) -> None:
    bar = attach(window)
    window.show()
    for text, menu in (
        ("Rate presets…", bar.presets.menu()),
        ("Heap rate…", bar.heap_rate.menu()),
        ("Lock profiles…", bar.contention.menu()),
    ):
        act(window, text)
        assert menu.isVisible(), text
        menu.close()
    act(window, "CPU rate…")
    assert bar._rate.view().isVisible()
    bar._rate.hidePopup()
    window.allow_close()


def test_a_file_has_nothing_to_control(window: MainWindow) -> None:
    window._capture.aboutToShow.emit()
    assert not any(each.isEnabled() for each in window._capture.actions() if not each.isSeparator())


def test_each_entry_shows_a_key_that_the_sheet_lists(window: MainWindow) -> None:
    listed = " ".join(key for groups in _COLUMNS for _, rows in groups for key, _ in rows)
    for each in window._capture.actions():
        if each.isSeparator():
            continue
        key = each.shortcut().toString()
        assert key, each.text()
        assert each.isShortcutVisibleInContextMenu(), each.text()
        if key not in ("Ctrl+2", "Ctrl+3", "Shift+P"):  # in rows of several keys
            assert key.replace("+", " + ") in listed, each.text()


def test_no_key_has_two_meanings(window: MainWindow) -> None:
    found: list[QObject] = window.findChildren(QAction)
    keys = Counter(
        each.shortcut().toString()
        for each in found
        if isinstance(each, QAction) and not each.shortcut().isEmpty()
    )
    assert [key for key, n in keys.items() if n > 1] == []
    assert {"Ctrl+Shift+D", "Ctrl+Shift+Del", "Space", "F4", "F5", "F9", "Ctrl+0"} <= set(keys)
