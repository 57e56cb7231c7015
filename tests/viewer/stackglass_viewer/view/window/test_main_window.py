"""The window itself: as large as pictures are, and no larger than its screen."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.main_window import MainWindow


def test_the_window_opens_within_its_screen(qt: QApplication) -> None:
    window = MainWindow(load_theme("light"))
    assert window.size() == QSize(1280, 800)
    window.resize(20_000, 20_000)
    window.fit_screen()
    room = window.screen().availableSize()
    assert window.width() == room.width()
    assert room.height() - 60 < window.height() < room.height() - 30, "with the frame above it"
    window.resize(300, 200)
    window.fit_screen()
    assert window.size() == QSize(300, 200)
    window.deleteLater()
