"""A list to choose from whose entries change all the time: it is filled when it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget


class OfferBox(QComboBox):
    """Until it is opened it holds what is chosen, and no more."""

    def __init__(self, name: str, tool_tip: str, width_px: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(tool_tip)
        self.setFixedWidth(width_px)
        self._choices: Sequence[tuple[Any, str]] = ()

    def offer(self, choices: Sequence[tuple[Any, str]], chosen: Any) -> None:
        """Values and their words; one of them is ``chosen``."""
        self._choices = choices
        if self.view().isVisible():
            return
        text = next((words for value, words in choices if value == chosen), "")
        if self.currentData() != chosen or self.currentText() != text or self.count() != 1:
            self.clear()
            self.addItem(text, chosen)

    def showPopup(self) -> None:
        self._fill()
        super().showPopup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._fill()  # arrows step through the entries
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._fill()
        super().wheelEvent(event)

    def _fill(self) -> None:
        chosen = self.currentData()
        self.clear()
        for value, words in self._choices:
            self.addItem(words, value)
        self.setCurrentIndex(max(self.findData(chosen), 0))
