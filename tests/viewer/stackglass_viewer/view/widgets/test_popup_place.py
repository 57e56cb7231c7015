"""Popups and the edges of their window and of the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.menu_button import MenuButton
from stackglass_viewer.view.widgets.popup_place import fit_popup

SCREEN, WINDOW = QRect(0, 0, 1366, 768), QRect(100, 50, 1024, 640)


@pytest.mark.parametrize(
    ("popup", "place"),
    [
        (QRect(200, 100, 300, 200), (200, 100)),  # fits
        (QRect(1000, 100, 300, 200), (824, 100)),  # past the window's right edge
        (QRect(200, 700, 300, 200), (200, 568)),  # past the screen's lower edge
        (QRect(200, 100, 1200, 200), (100, 100)),  # wider than the window
    ],
)
def test_a_popup_stays_in_its_window(popup: QRect, place: tuple[int, int]) -> None:
    assert fit_popup(popup, WINDOW, SCREEN) == QPoint(*place)


def test_a_window_half_outside_the_screen_bounds_no_more_than_the_screen() -> None:
    window = QRect(900, 50, 1024, 640)
    assert fit_popup(QRect(1300, 100, 300, 200), window, SCREEN) == QPoint(1066, 100)


def test_the_menu_of_a_button_at_the_right_edge_is_moved(qt: QApplication) -> None:
    button = MenuButton("Rates", "100 Hz")
    button.menu().addAction("A line that is far longer than the button that opens its menu")
    button.resize(80, 30)
    button.show()
    button.menu().popup(button.mapToGlobal(QPoint(60, 30)))
    assert button.menu().x() == button.window().geometry().left()
    button.menu().close()
    button.close()
    button.deleteLater()
