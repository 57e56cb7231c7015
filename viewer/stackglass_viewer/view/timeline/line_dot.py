"""Dot beside a reading of the timeline, in the colour of its curve."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget


class LineDot(QLabel):
    """A label in a colour of its own, without a style sheet of its own: Qt takes 40 µs to apply
    one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("●", parent)
        self.colour = QColor()  # invalid: that of the panel's texts

    def set_colour(self, colour: QColor) -> None:
        if colour != self.colour:
            self.colour = colour
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.colour.isValid():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.colour)
        painter.drawText(self.contentsRect(), self.alignment(), self.text())
