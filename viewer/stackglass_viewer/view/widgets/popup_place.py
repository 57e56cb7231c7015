"""Place of popups: keeps lists and menus within the window's width and the screen's height."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget


def keep_in_window(popup: QWidget, owner: QWidget) -> None:
    """Move ``popup`` left if it extends beyond its owner's window, and up if beyond the screen."""
    corner = fit_popup(popup.geometry(), owner.window().geometry(), owner.screen().geometry())
    if corner != popup.pos():
        popup.move(corner)


def fit_popup(popup: QRect, window: QRect, screen: QRect) -> QPoint:
    """Return the place of a popup. A popup wider than the window begins at the window's left."""
    right_px = min(window.right(), screen.right())
    left_px = max(window.left(), screen.left())
    x = max(min(popup.left(), right_px - popup.width() + 1), left_px)
    y = max(min(popup.top(), screen.bottom() - popup.height() + 1), screen.top())
    return QPoint(x, y)
