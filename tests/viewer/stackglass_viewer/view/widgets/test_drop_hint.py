"""The hint that files may be dropped."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.drop_hint import DropHint
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.main_window import MainWindow


@pytest.mark.parametrize("is_dropped", [True, False])
def test_it_is_seen_while_files_are_over_the_window(qt: QApplication, is_dropped: bool) -> None:
    window = MainWindow(load_theme("light"))
    window.show()
    (hint,) = window.findChildren(DropHint)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/a/cpu.pb.gz")])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    key = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(9, 9), *how, key))
    QApplication.sendEvent(window, QDragMoveEvent(QPoint(10, 10), *how, key))
    assert hint.isVisible()
    assert hint.geometry() == window.rect()
    assert window.childAt(10, 10) is not hint
    if is_dropped:
        QApplication.sendEvent(window, QDropEvent(QPointF(10, 10), *how, key))
    else:
        QApplication.sendEvent(window, QDragLeaveEvent())
    assert not hint.isVisible()
    window.allow_close()
    window.deleteLater()
