"""A chip of a filter: a click removes the filter, its context menu opens where it was requested."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from stackglass_viewer.view.widgets.filter_chip import cut_chip, make_filter_chip


def test_a_click_removes_the_filter(qt: QApplication, heard: Any) -> None:
    bar = QWidget()
    chip = make_filter_chip(lambda: heard.hear("removed"), None, bar)
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert heard.values == ["removed"]
    assert chip.contextMenuPolicy() == Qt.ContextMenuPolicy.DefaultContextMenu
    bar.deleteLater()


def test_the_context_menu_opens_beside_the_pointer(qt: QApplication) -> None:
    bar = QWidget()
    menus: list[QMenu] = []

    def make_menu() -> QMenu:
        menus.append(QMenu(bar))
        menus[-1].addAction("Remove")
        return menus[-1]

    chip = make_filter_chip(lambda: None, make_menu, bar)
    bar.show()
    chip.customContextMenuRequested.emit(QPoint(3, 4))
    (menu,) = menus
    assert menu.isVisible()
    assert menu.pos() == chip.mapToGlobal(QPoint(3, 4))
    menu.hide()
    bar.hide()
    bar.deleteLater()


def test_a_chip_that_is_alone_has_more_room(qt: QApplication) -> None:
    bar = QWidget()
    words = "only stacks with shop.orders.take"
    width_px = bar.fontMetrics().horizontalAdvance(words)
    assert cut_chip(words, width_px // 2 + 2, 1, bar) == words
    assert "…" in cut_chip(words, width_px // 2 + 2, 2, bar)
    bar.deleteLater()
