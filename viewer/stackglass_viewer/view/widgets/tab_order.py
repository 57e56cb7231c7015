"""Tab order: sets the order in which Tab goes through a window, also through parts made late."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

_POLICY = Qt.FocusPolicy
_STOPS = frozenset((_POLICY.TabFocus, _POLICY.StrongFocus, _POLICY.WheelFocus))
"""The policies that include TabFocus; a set, since ``&`` of flags makes an object each time."""


def order_tabs(*parts: QWidget | None) -> None:
    """Set the order: part by part, and within a part in the order in which its widgets were made.

    A part may be a stop itself. Parts that are None are left out.
    """
    stops = [
        stop
        for part in parts
        if part is not None
        for stop in (part, *part.findChildren(QWidget))
        # Lists that pop up are windows of their own.
        if stop.focusPolicy() in _STOPS and stop.window() is part.window()
    ]
    for before, stop in pairwise(stops):
        QWidget.setTabOrder(before, stop)
