"""What is typed into the dialog that opens a URL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.model.remote.index_page import ListedProfile
from stackglass_viewer.view.dialogs.url_dialog import UrlDialog

RECENT = "http://127.0.0.1:6060/debug/pprof/"


@pytest.fixture
def dialog(qt: QApplication) -> Iterator[UrlDialog]:
    made = UrlDialog((RECENT,))
    made.show()
    QTest.qWaitForWindowExposed(made)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def requested(dialog: UrlDialog) -> list[str]:
    urls: list[str] = []
    dialog.list_requested.connect(urls.append)
    return urls


def type_beginning(dialog: UrlDialog) -> QWidget:
    """The list of recent URLs that begin like it."""
    QTest.keyClicks(dialog._url, RECENT[:-4])
    assert dialog._popup.isVisible()
    return dialog._popup


def test_enter_lists_what_is_typed_with_recent_urls_below_it(
    dialog: UrlDialog, requested: list[str]
) -> None:
    popup = type_beginning(dialog)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert requested == [RECENT[:-4]]
    assert not popup.isVisible()


def test_enter_on_a_recent_url_lists_that(dialog: UrlDialog, requested: list[str]) -> None:
    popup = type_beginning(dialog)
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert requested == [RECENT]
    assert dialog._url.text() == RECENT


def test_an_edited_url_has_no_list(dialog: UrlDialog) -> None:
    unwanted: list[None] = []
    dialog.list_unwanted.connect(lambda: unwanted.append(None))
    dialog._on_list()
    assert dialog._state.text() == "Asking the server…"
    QTest.keyClick(dialog._url, Qt.Key.Key_End)
    assert not unwanted
    QTest.keyClick(dialog._url, Qt.Key.Key_Backspace)
    assert len(unwanted) == 1
    assert "Asking" not in dialog._state.text()


def test_a_profile_of_a_server_is_shown_without_unsafe_letters(dialog: UrlDialog) -> None:
    profile = ListedProfile("he\u202eap", 3, "all\nmemory")
    dialog._show_profiles((profile,))
    item = dialog._profiles.topLevelItem(0)
    assert item is not None
    assert (item.text(0), item.text(2), item.toolTip(2)) == (
        "he\ufffdap",
        "all\ufffdmemory",
        "all\ufffdmemory",
    )
    dialog._profiles.setCurrentItem(item)
    choice = dialog._choice
    assert choice is not None
    assert choice[1] == "he\u202eap"
