"""Lazy combo: a combo box for entries that change all the time, filled only when it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.choice_box import ChoiceBox

_LEAST_PX = 96  # least width, for a few words; the tool tip shows the whole text
_FRAME_PX, _MOST_PX = 36, 640  # frame and greatest width of the list


class LazyCombo(ChoiceBox):
    """A combo box with only the chosen entry while it is closed.

    A text that is too long is cut at its beginning, since the end of a name says most.
    """

    cut_mode = Qt.TextElideMode.ElideLeft
    padding_px = 4

    def __init__(self, name: str, tool_tip: str, width_px: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._tool_tip = tool_tip
        self.setToolTip(tool_tip)
        self._width_px = width_px
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._choices: Sequence[tuple[Any, str]] = ()

    def sizeHint(self) -> QSize:
        return QSize(self._width_px, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_PX, super().minimumSizeHint().height())

    def offer(self, choices: Sequence[tuple[Any, str]], chosen: Any) -> None:
        """Set the choices, (value, text) pairs, and the value of the chosen one."""
        choices = [(value, make_printable(words)) for value, words in choices]
        self._choices = choices
        if self.view().isVisible():
            return
        text = next((words for value, words in choices if value == chosen), "")
        self.setToolTip(f"{self._tool_tip}\nNow: {text}")
        if self.currentData() != chosen or self.currentText() != text or self.count() != 1:
            self.clear()
            self.addItem(text, chosen)

    def showPopup(self) -> None:
        self._fill()
        wanted_px = self.view().sizeHintForColumn(0) + _FRAME_PX
        self.view().setMinimumWidth(min(max(wanted_px, self.width()), _MOST_PX))
        super().showPopup()

    def _fill(self) -> None:
        chosen = self.currentData()
        self.clear()
        for value, words in self._choices:
            self.addItem(words, value)
        self.setCurrentIndex(max(self.findData(chosen), 0))
