"""Shortcut sheet: it stays on the screen, and what does not fit is scrolled to."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from stackglass_viewer.view.dialogs.shortcut_sheet import _COLUMNS, ShortcutSheet


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


@pytest.mark.parametrize(("width_px", "n_columns"), [(1440, 3), (1000, 2), (600, 1)])
def test_it_is_not_scrolled_sideways(qt: QApplication, width_px: int, n_columns: int) -> None:
    sheet = ShortcutSheet()
    sheet.show()
    sheet.resize(700, 592)
    sheet.resize(width_px, 592)
    QApplication.processEvents()
    area = sheet.findChild(QScrollArea)
    assert area is not None
    assert area.horizontalScrollBar().maximum() == 0
    assert area.verticalScrollBar().maximum() > 0
    keys = [each for each in area.findChildren(QLabel) if each.objectName() == "key"]
    assert len({each.x() for each in keys}) == n_columns
    assert len(keys) == sum(len(rows) for groups in _COLUMNS for _, rows in groups)
    sheet.close()
    sheet.deleteLater()
