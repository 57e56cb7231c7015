"""Keys of views: they choose a view, or say why they cannot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stackglass_viewer.app import App
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
KEYS = {Qt.Key.Key_4: "sites", Qt.Key.Key_7: "labels", Qt.Key.Key_O: "times"}


@pytest.fixture
def page(app: App, tmp_path: Path, wait_until: WaitUntil) -> ProfilePage:
    """A file of stacks alone, with the keys in its flame graph."""
    path = tmp_path / "plain.txt"
    path.write_text("main;work 3\n")
    app.open_files([str(path)])
    app.window.show()
    app.window.activateWindow()
    QTest.qWaitForWindowActive(app.window)
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: document.scene is not None and page.view == "flame")
    return page


@pytest.mark.parametrize("view", ["flame", "top"])
@pytest.mark.parametrize("key", KEYS)
def test_the_key_of_a_missing_view_says_why(page: ProfilePage, view: str, key: Qt.Key) -> None:
    page.show_view(view)
    assert page.message.notice is None
    focused = page.window().focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key)
    assert page.view == view
    notice = page.message.notice
    assert notice is not None
    assert KEYS[key] in notice.text


@pytest.mark.parametrize(
    ("key", "words"),
    [(Qt.Key.Key_M, "The minimap stands over"), (Qt.Key.Key_F4, "no other sample type")],
)
def test_the_key_of_a_control_that_is_not_there_says_why(
    page: ProfilePage, key: Qt.Key, words: str
) -> None:
    focused = page.window().focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key)
    assert page.message.notice is not None
    assert words in page.message.notice.text


def test_the_next_view_ends_the_answer(page: ProfilePage) -> None:
    for key in (Qt.Key.Key_7, Qt.Key.Key_3):
        focused = page.window().focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key)
    assert page.view == "top"
    assert page.message.notice is None


def test_the_key_of_a_view_that_is_there_says_nothing(page: ProfilePage) -> None:
    for key, view in ((Qt.Key.Key_3, "top"), (Qt.Key.Key_5, "sandwich"), (Qt.Key.Key_1, "flame")):
        focused = page.window().focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key)
        assert page.view == view
    assert page.message.notice is None


def test_a_digit_that_is_typed_is_text(page: ProfilePage) -> None:
    page.focus_search()
    focused = page.window().focusWidget()
    assert focused is not None
    QTest.keyClick(focused, Qt.Key.Key_4)
    assert page.message.notice is None
