"""Search field: a line of text in the main window."""

from __future__ import annotations

from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QLineEdit


class SearchField(QLineEdit):
    """A line edit that leaves dropped files to the window, which opens them."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.ignore()  # Qt would insert the addresses of the files
        else:
            super().dragEnterEvent(event)
