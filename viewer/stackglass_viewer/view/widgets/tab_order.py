"""Tab order: sets the order in which Tab goes through a window, also through parts made late."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QSplitter, QWidget

_POLICY = Qt.FocusPolicy
_STOPS = frozenset((_POLICY.TabFocus, _POLICY.StrongFocus, _POLICY.WheelFocus))
"""The policies that include TabFocus; a set, since ``&`` of flags makes an object each time."""


def order_tabs(*parts: QWidget) -> None:
    """Set the order: part by part, and within a part in the order of its layout or splitter. Other
    widgets come last, in the order of Qt's children. A part may be a stop itself."""
    found: dict[QWidget, None] = {}
    for part in parts:
        _find_widgets(part, found)
    stops = [widget for widget in found if widget.focusPolicy() in _STOPS]
    for before, stop in pairwise(stops):
        QWidget.setTabOrder(before, stop)


def _find_widgets(part: QWidget, found: dict[QWidget, None]) -> None:
    """Add a widget and all in it to ``found``, if it is not there yet."""
    if part in found:
        return
    found[part] = None
    for child in _list_laid_out(part):
        _find_widgets(child, found)
    for child in part.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if not child.isWindow():  # as lists that pop up are
            _find_widgets(child, found)


def _list_laid_out(part: QWidget) -> Iterator[QWidget]:
    """Yield what is in the layout of a widget, or in a splitter, whose children are in another
    order."""
    layout = part.layout()
    if layout is not None:
        yield from _list_contents(layout)
    elif isinstance(part, QSplitter):
        for index in range(part.count()):
            if (pane := part.widget(index)) is not None:
                yield pane


def _list_contents(layout: QLayout) -> Iterator[QWidget]:
    for index in range(layout.count()):
        item = layout.itemAt(index)
        assert item is not None
        if (widget := item.widget()) is not None:
            yield widget
        elif (inner := item.layout()) is not None:
            yield from _list_contents(inner)
