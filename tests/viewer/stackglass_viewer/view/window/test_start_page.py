"""The start page: what can be clicked stays where it is while lists arrive."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.start_page import StartPage


def find_buttons(page: StartPage) -> list[QPoint]:
    words = ("Attach to a process…", "Open a profile…")
    buttons = page.findChildren(QPushButton)
    return [b.mapTo(page, QPoint()) for b in buttons if b.text().strip() in words]


@pytest.mark.parametrize("height_px", [640, 728, 1040])
def test_the_buttons_do_not_move_when_the_lists_are_filled(
    qt: QApplication, height_px: int
) -> None:
    page = StartPage(load_theme("light"))
    page.resize(1280, height_px)
    page.show()
    before = find_buttons(page)
    assert len(before) == 2
    page.show_recent(tuple(f"/tmp/{n}.prof" for n in range(6)))
    qt.processEvents()
    assert find_buttons(page) == before
    page.hide()
    page.deleteLater()


def test_both_lists_are_equally_wide(qt: QApplication) -> None:
    page = StartPage(load_theme("light"))
    page.resize(1280, 728)
    page.show_recent((f"/a/folder/of/many/letters/and/{'W' * 60}.prof",))
    page.show()
    qt.processEvents()
    assert page.processes.width() == page._recent_card.width()
    page.hide()
    page.deleteLater()


def test_a_recent_file_is_named_as_it_is(qt: QApplication) -> None:
    page, chosen = StartPage(load_theme("light")), list[str]()
    page.recent_requested.connect(chosen.append)
    page.show_recent(("/tmp/two\nlines\u202e.prof",))
    item = page._recent.itemAt(0)
    button = item.widget() if item is not None else None
    assert isinstance(button, QPushButton)
    assert button.toolTip() == "/tmp/two\ufffdlines\ufffd.prof"
    assert button.accessibleName() == "two\ufffdlines\ufffd.prof, recent file"
    button.click()
    assert chosen == ["/tmp/two\nlines\u202e.prof"]
    page.deleteLater()
