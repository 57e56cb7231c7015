"""The tables of contention: which one the keys go to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.presenter.settings.contention_choices import ALL_THREADS_NOW, WAITING_NOW
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def view(qt: QApplication) -> Iterator[ContentionView]:
    window = QWidget()
    now = (WaitsModel(), NowModel())
    made = ContentionView(ContentionModel(), now, load_theme("light"), window, window)
    window.resize(1000, 500)
    made.resize(1000, 500)
    window.show()
    QTest.qWaitForWindowActive(window)
    yield made
    window.close()
    window.deleteLater()


def name_focused() -> str:
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.isVisible()
    return focused.accessibleName()


def is_focused(name: str) -> bool:
    return name_focused() == name


def test_the_table_that_is_shown_gets_the_keys(view: ContentionView, wait_until: WaitUntil) -> None:
    for grouping, name in (
        (WAITING_NOW, "Waiting threads"),
        (ALL_THREADS_NOW, "Threads, tasks and greenlets"),
        ("stacks", "Contention"),
    ):
        view.show_grouping(grouping)
        view.setFocus()
        # The table is made in the event loop's next turn, and then gets the focus.
        wait_until(partial(is_focused, name))


def test_the_search_is_that_of_the_threads(view: ContentionView) -> None:
    """Ctrl+F had two meanings there, so that Qt carried out neither."""
    assert not view.focus_search()
    view.show_grouping(ALL_THREADS_NOW)
    assert view.focus_search()
    assert name_focused() == "Search threads, tasks and greenlets"
