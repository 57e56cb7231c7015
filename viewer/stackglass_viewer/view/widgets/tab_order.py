"""Tab order: sets the order in which Tab goes through a window, also through parts made late."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QWidget

_POLICY = Qt.FocusPolicy
_STOPS = frozenset((_POLICY.TabFocus, _POLICY.StrongFocus, _POLICY.WheelFocus))
"""The policies that include TabFocus; a set, since ``&`` of flags makes an object each time."""


def order_tabs(*parts: QWidget) -> None:
    """Set the order: part by part, and within a part in the order of its layout. Widgets in no
    layout come last, in the order in which they were made. A part may be a stop itself."""
    stops = [
        stop
        for part in parts
        for stop in dict.fromkeys(_list_widgets(part))
        # Lists that pop up are windows of their own.
        if stop.focusPolicy() in _STOPS and stop.window() is part.window()
    ]
    for before, stop in pairwise(stops):
        QWidget.setTabOrder(before, stop)


def _list_widgets(part: QWidget) -> Iterator[QWidget]:
    """Yield a widget and all in it, first those of its layout; some more than once."""
    yield part
    layout = part.layout()
    if layout is not None:
        yield from _list_contents(layout)
    yield from part.findChildren(QWidget)


def _list_contents(layout: QLayout) -> Iterator[QWidget]:
    for index in range(layout.count()):
        item = layout.itemAt(index)
        assert item is not None
        if (widget := item.widget()) is not None:
            yield from _list_widgets(widget)
        elif (inner := item.layout()) is not None:
            yield from _list_contents(inner)
