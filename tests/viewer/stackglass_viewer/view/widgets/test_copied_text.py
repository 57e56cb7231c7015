"""What a message bar says after something was copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.message_bar import MessageBar
from stackglass_viewer.view.widgets.theme import load_theme

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class _Page(QWidget):
    def __init__(self, model: StackModel) -> None:
        super().__init__()
        self.message = MessageBar(load_theme("light"), self)
        inner = QWidget(self)
        self.table = NumberTable(model, load_theme("light"), (100, 100), inner)
        column = QVBoxLayout(self)
        column.addWidget(inner)

    @property
    def said(self) -> str:
        notice = self.message.notice
        return notice.text if notice is not None else ""


def test_a_copied_row_replaces_an_older_answer(qt: QApplication) -> None:
    """It said still that the picture was copied."""
    model = StackModel()
    model.set_lines([LineName("load", "app.py", 12), LineName("main", "app.py", 3)])
    page = _Page(model)
    page.message.show_answer(Notice("info", "Copied the picture of this view."))
    page.table.selectRow(0)
    QTest.keyClick(page.table, Qt.Key.Key_C, CONTROL)
    assert page.said == "Copied 1 row."
    QTest.keyClick(page.table, Qt.Key.Key_C, CONTROL | SHIFT)
    assert page.said == "Copied 2 rows."
    page.table.copy_cell(1, 0)
    assert page.said == "Copied the cell."
    assert QGuiApplication.clipboard().text() == "main"
    page.deleteLater()


def test_a_table_without_a_page_is_copied_in_silence(qt: QApplication) -> None:
    model = StackModel()
    model.set_lines([LineName("load", "app.py", 12)])
    alone = QWidget()
    table = NumberTable(model, load_theme("light"), (100, 100), alone)
    table.copy(is_whole=True)
    assert QGuiApplication.clipboard().text().splitlines()[1] == "load\tapp.py:12"
    alone.deleteLater()
