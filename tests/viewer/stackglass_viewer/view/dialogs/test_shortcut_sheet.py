"""Shortcut sheet: it stays on the screen, and what does not fit is scrolled to."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QScrollArea

from stackglass_viewer.view.dialogs.shortcut_sheet import ShortcutSheet


def test_the_sheet_stays_on_the_screen(qt: QApplication) -> None:
    sheet = ShortcutSheet()
    sheet.show()
    room = sheet.screen().availableSize()
    assert sheet.width() <= room.width()
    assert sheet.height() <= room.height()
    area = sheet.findChild(QScrollArea)
    assert area is not None
    sheet.resize(300, 200)
    QApplication.processEvents()
    assert area.verticalScrollBar().maximum() > 0
    sheet.close()
    sheet.deleteLater()
