"""The table of the heap's sites, and the one of types in its place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.view.heap.view import HeapView
from stackglass_viewer.view.widgets.theme import load_theme


@pytest.fixture
def view(qt: QApplication) -> Iterator[HeapView]:
    window = QWidget()
    made = HeapView(HeapModel(), TypeModel(), load_theme("light"), window, window)
    window.resize(900, 400)
    made.resize(900, 400)
    window.show()
    QTest.qWaitForWindowActive(window)
    yield made
    window.close()
    window.deleteLater()


def test_the_table_that_is_shown_gets_the_keys(view: HeapView) -> None:
    for grouping, name in (("types", "Objects by type"), ("sites", "Sites of the heap")):
        view._grouping.chosen.emit(grouping)
        view.setFocus()
        focused = QApplication.focusWidget()
        assert focused is not None
        assert (focused.accessibleName(), focused.isVisible()) == (name, True)
