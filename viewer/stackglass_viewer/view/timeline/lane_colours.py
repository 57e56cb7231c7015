"""Colours of the lines in the plot's row of metrics and in the bar below it."""

from __future__ import annotations

from PySide6.QtGui import QColor

_LINE_DARKER = 150  # percent, for QColor.darker: a thin line on a light background


def colour_drawn(colour: int, *, is_stacked: bool, is_dark: bool) -> QColor:
    """Return the colour to draw ``colour`` in: darker for a thin line on a light background."""
    drawn = QColor.fromRgba(colour)
    return drawn if is_stacked or is_dark else drawn.darker(_LINE_DARKER)
