"""Place of popups: lists and menus of a window do not run past its edges."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget


def keep_in_window(popup: QWidget, owner: QWidget) -> None:
    """Move a popup that runs past the right edge of its owner's window to the left, and one that
    runs past the lower edge of the screen up."""
    place = fit_popup(popup.geometry(), owner.window().geometry(), owner.screen().geometry())
    if place != popup.pos():
        popup.move(place)


def fit_popup(popup: QRect, window: QRect, screen: QRect) -> QPoint:
    """Where it should be; one that is wider than the window begins at the window's left edge."""
    right_px = min(window.right(), screen.right())
    left_px = max(window.left(), screen.left())
    x = max(min(popup.left(), right_px - popup.width() + 1), left_px)
    y = max(min(popup.top(), screen.bottom() - popup.height() + 1), screen.top())
    return QPoint(x, y)
