"""Processes on the start page: newest first, looked for only while the page is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.view.window.process_card import ProcessCard

SPACE = "\u2007"  # as wide as a digit
OLD = ProcessRow(7, "3.13.0", "python -m gunicorn app", "me", 1 << 20, True, "")
NEW = ProcessRow(9000, "3.9.18", "/usr/bin/python3 /srv/web.py 8801", "me", 3 << 20, True, "")
FOREIGN = ProcessRow(8000, "3.11.2", "networkd", "root", 2 << 20, False, "belongs to root")


@pytest.fixture
def card(qt: QApplication) -> Iterator[ProcessCard]:
    made = ProcessCard()
    yield made
    made.close()
    made.deleteLater()


def list_buttons(card: ProcessCard) -> list[QPushButton]:
    items = [card._buttons.itemAt(place) for place in range(card._buttons.count())]
    found = [item.widget() for item in items if item is not None]
    return [each for each in found if isinstance(each, QPushButton)]


def test_a_click_attaches(card: ProcessCard) -> None:
    chosen: list[int] = []
    card.process_requested.connect(chosen.append)
    assert card._note.text() == "Looking for Python processes…"
    card.show_rows((OLD, FOREIGN, NEW))
    buttons = list_buttons(card)
    assert [each.text() for each in buttons] == [
        "9000   web.py 8801",
        f"{3 * SPACE}7   gunicorn app",
    ]
    assert NEW.command in buttons[0].toolTip()
    assert card._note.isHidden()
    buttons[1].click()
    assert chosen == [7]


def test_the_newest_is_first_after_pids_began_again(card: ProcessCard) -> None:
    old, new = replace(NEW, begin_ticks=1000), replace(OLD, begin_ticks=2000)
    card.show_rows((new, old))  # by PID
    texts = [each.text() for each in list_buttons(card)]
    assert texts == [f"{3 * SPACE}7   gunicorn app", "9000   web.py 8801"]


def test_rows_stay_where_they_are_under_the_pointer(
    card: ProcessCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    card.show_rows((OLD,))
    monkeypatch.setattr(card, "underMouse", lambda: True)
    card.show_rows((OLD, NEW))
    assert len(list_buttons(card)) == 1
    monkeypatch.setattr(card, "underMouse", lambda: False)
    card.show_rows((OLD, NEW))
    assert len(list_buttons(card)) == 2


@pytest.mark.parametrize("is_pointed", [False, True])
def test_the_tip_has_the_memory_of_now(
    card: ProcessCard, monkeypatch: pytest.MonkeyPatch, is_pointed: bool
) -> None:
    card.show_rows((OLD, NEW))
    before = list_buttons(card)
    assert "1.00 MiB" in before[1].toolTip()
    monkeypatch.setattr(card, "underMouse", lambda: is_pointed)
    card.show_rows((replace(OLD, rss_bytes=7 << 20), NEW))
    assert list_buttons(card) == before
    assert "7.00 MiB" in before[1].toolTip()
    assert "3.00 MiB" in before[0].toolTip()


def test_an_empty_list_is_filled_under_the_pointer_too(
    card: ProcessCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card, "underMouse", lambda: True)
    card.show_rows((OLD,))
    assert len(list_buttons(card)) == 1
    assert card._note.isHidden()


def test_an_empty_list_says_why(card: ProcessCard) -> None:
    card.show_rows(())
    assert card._note.text() == "No Python process was found."
    card.show_rows((FOREIGN,))
    assert card._note.text().startswith("None of them can be attached to")


def test_it_looks_only_while_it_is_shown(
    card: ProcessCard, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    watched: list[bool] = []
    card.watched.connect(watched.append)
    card._delay.setInterval(1)
    card.show()
    wait_until(lambda: watched == [True])
    card.hide()
    assert watched == [True, False]


def test_a_version_that_is_not_known_is_left_out_of_the_tool_tip(card: ProcessCard) -> None:
    card.show_rows((OLD, replace(NEW, python="")))
    assert {each.toolTip() for each in list_buttons(card)} == {
        f"Attach to process 7\n{OLD.command}\n3.13.0, 1.00 MiB",
        f"Attach to process 9000\n{NEW.command}\n3.00 MiB",
    }


def test_a_command_that_would_change_the_line_is_shown_as_such(card: ProcessCard) -> None:
    card.show_rows((replace(NEW, command="python3 \u202eweb.py a\nb"),))
    (button,) = list_buttons(card)
    assert "\ufffdweb.py a\ufffdb" in button.toolTip()
    assert "\ufffdweb.py" in button.accessibleName()
