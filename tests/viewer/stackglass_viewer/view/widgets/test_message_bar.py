"""A message bar shows notices, and answers in front of them."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.widgets.message_bar import MessageBar
from stackglass_viewer.view.widgets.theme import load_theme

WARNING, ANSWER = Notice("warning", "cut short"), Notice("info", "no labels")


@pytest.fixture
def bar(qtbot: object) -> MessageBar:
    return MessageBar(load_theme("light"))


def test_an_answer_stands_in_front_of_the_notice(bar: MessageBar) -> None:
    bar.show_notice(WARNING)
    bar.show_answer(ANSWER)
    assert (bar.notice, bar.isHidden()) == (ANSWER, False)
    bar.show_answer(None)
    assert (bar.notice, bar.isHidden()) == (WARNING, False)


def test_without_a_notice_the_bar_is_hidden_after_the_answer(bar: MessageBar) -> None:
    bar.show_answer(ANSWER)
    bar.show_answer(None)
    assert bar.notice is None
    assert bar.isHidden()


def test_the_next_notice_ends_an_answer(bar: MessageBar) -> None:
    bar.show_answer(ANSWER)
    bar.show_notice(WARNING)
    assert bar.notice == WARNING
    bar.show_answer(None)
    assert bar.notice == WARNING


def test_dismissing_an_answer_keeps_the_notice(bar: MessageBar) -> None:
    closed: list[Notice] = []
    bar.closed.connect(closed.append)
    bar.show_notice(WARNING)
    bar.show_answer(ANSWER)
    bar.dismiss()
    assert (bar.notice, closed) == (WARNING, [])
    bar.dismiss()
    assert (bar.notice, closed) == (None, [WARNING])
