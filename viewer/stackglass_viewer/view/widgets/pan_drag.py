"""Pan drag: distinguishes a pan with the left mouse button from a click."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget


class PanDrag:
    """The state of the left mouse button over a widget: a press is a pan once the pointer moves."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._pressed_at: QPointF | None = None
        self._dragged_from: QPointF | None = None

    def press(self, point: QPointF) -> None:
        self._pressed_at = point
        self._dragged_from = None

    def move(self, point: QPointF) -> QPointF | None:
        """Return how far to pan in pixels; None = no drag is under way."""
        if self._pressed_at is not None and self._dragged_from is None:
            moved_px = (point - self._pressed_at).manhattanLength()
            if moved_px >= QApplication.startDragDistance():
                self._dragged_from = self._pressed_at
                self._widget.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragged_from is None:
            return None
        delta = self._dragged_from - point
        self._dragged_from = point
        return delta

    def release(self) -> bool:
        """End the drag. Returns whether it was a click: a press without a move."""
        was_click = self._pressed_at is not None and self._dragged_from is None
        self._pressed_at = self._dragged_from = None
        self._widget.unsetCursor()
        return was_click
