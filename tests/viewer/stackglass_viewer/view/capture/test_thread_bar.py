"""The chip of the threads that are shown: there while some are left out, and drops the filter."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS, NamePattern
from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.thread_bar import ThreadBar
from stackglass_viewer.view.widgets.theme import load_theme

ROWS = (ThreadRow((1,), "main & co", 0.5, False), ThreadRow((2,), "worker", 0.5, False))


@pytest.fixture
def model(qt: QApplication) -> ThreadModel:
    made = ThreadModel()
    made.set_rows(ROWS)
    return made


def test_it_names_the_threads_and_drops_them(model: ThreadModel, heard: Any) -> None:
    bar = ThreadBar(model, load_theme("dark"))
    bar.dropped.connect(heard.hear)
    assert (bar.has_filter, bar.isVisible()) == (False, False)
    model.choose(frozenset({1}))
    (chip,) = bar.findChildren(QToolButton)
    assert (bar.has_filter, bar.isVisible()) == (True, True)
    assert chip.text() == "\u200emain && co"
    assert chip.accessibleName() == "Show all threads, not only main & co"
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert len(heard.values) == 1
    model.restore(ALL_THREADS)
    assert (bar.has_filter, bar.isVisible()) == (False, False)
    bar.deleteLater()


def test_only_a_pattern_is_edited(model: ThreadModel, heard: Any) -> None:
    bar = ThreadBar(model, load_theme("light"))
    bar.edit_requested.connect(heard.hear)
    model.choose(frozenset({1, 2}))
    assert [each.text() for each in bar.make_menu().actions()] == ["&Remove"]
    model.choose_named(NamePattern("^work"))
    edit, _ = bar.make_menu().actions()
    edit.trigger()
    assert len(heard.values) == 1
    bar.deleteLater()


def test_it_is_not_there_where_threads_filter_nothing(model: ThreadModel) -> None:
    """As of the heap that is in use; what was chosen is there again afterwards."""
    bar = ThreadBar(model, load_theme("dark"))
    model.choose(frozenset({2}))
    bar.set_applies(False)
    assert (bar.has_filter, bar.isVisible()) == (False, False)
    bar.set_applies(True)
    assert (bar.has_filter, bar.isVisible()) == (True, True)
    bar.deleteLater()
