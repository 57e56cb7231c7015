"""Colours of a lane's lines, in the plot and in the bar below it."""

from __future__ import annotations

from PySide6.QtGui import QColor

_LINE_DARKER = 150  # percent; a thin line on a light background


def colour_drawn(colour: int, *, is_stacked: bool, is_dark: bool) -> QColor:
    """A layer has its colour as it is; a line must stand out from its background."""
    drawn = QColor.fromRgba(colour)
    return drawn if is_stacked or is_dark else drawn.darker(_LINE_DARKER)
