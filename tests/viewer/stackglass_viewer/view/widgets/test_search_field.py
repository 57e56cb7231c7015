"""What is dropped on a field of the window: files are for the window, text is for the field."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.tables.top_view import TopView
from stackglass_viewer.view.widgets.search_bar import SearchBar
from stackglass_viewer.view.widgets.theme import load_theme


def takes(field: QLineEdit, data: QMimeData) -> bool:
    button, modifier = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, button, modifier)
    QApplication.sendEvent(field, event)
    return event.isAccepted()


def test_a_field_leaves_files_to_the_window(qt: QApplication) -> None:
    theme, worker = load_theme("light"), Worker("test")
    bar, table = SearchBar(theme), TopView(TopModel(worker), theme)
    files, text = QMimeData(), QMimeData()
    files.setUrls([QUrl.fromLocalFile("/tmp/cpu.pb.gz")])
    files.setText("file:///tmp/cpu.pb.gz")  # file managers send both
    text.setText("encode")
    for field in (*bar.findChildren(QLineEdit), *table.findChildren(QLineEdit)):
        assert not takes(field, files)
        assert takes(field, text)
    for each in (bar, table):
        each.deleteLater()
    worker.stop()
