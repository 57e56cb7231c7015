"""The button that opens the list of threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.thread_filter import ThreadFilter
from stackglass_viewer.view.widgets.theme import load_theme


@pytest.fixture
def model(qt: QApplication) -> ThreadModel:
    made = ThreadModel()
    made.set_rows([ThreadRow(7, "main", 0.75), ThreadRow(8, "worker", 0.25)])
    return made


@pytest.fixture
def button(model: ThreadModel) -> Iterator[ThreadFilter]:
    made = ThreadFilter(model, load_theme("light"))
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_its_list_opens_and_ticks(button: ThreadFilter, model: ThreadModel) -> None:
    button.set_theme(load_theme("dark"))
    assert button._popup is None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    assert popup.isVisible()
    popup._on_row_clicked(model.index(1))
    ticked = model.index(1).data(Qt.ItemDataRole.CheckStateRole)
    assert ticked == Qt.CheckState.Checked
    assert button.text() == " worker"
    (everything,) = popup.findChildren(QPushButton)
    everything.click()
    assert button.text() == " All threads"
    popup.close()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button._popup is popup
    button.set_theme(load_theme("light"))
    popup.close()
