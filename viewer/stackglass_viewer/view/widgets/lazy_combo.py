"""Combo box with entries that change all the time: it is filled when it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from stackglass_viewer.view.widgets.choice_box import ChoiceBox

_PADDING_PX = 4
_LEAST_PX = 96  # of a few words; its tip says what is cut
_FRAME_PX, _MOST_PX = 36, 640  # of the list


class LazyCombo(ChoiceBox):
    """Until it is opened it holds what is chosen, and no more."""

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
        """Values and their words; one of them is ``chosen``."""
        self._choices = choices
        if self.view().isVisible():
            return
        text = next((words for value, words in choices if value == chosen), "")
        self.setToolTip(f"{self._tool_tip}\nNow: {text}")
        if self.currentData() != chosen or self.currentText() != text or self.count() != 1:
            self.clear()
            self.addItem(text, chosen)

    def paintEvent(self, event: QPaintEvent) -> None:
        """What there is no room for goes at the beginning: names end in what they are."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        place = self.style().subControlRect(control, option, part, self)
        cut = Qt.TextElideMode.ElideLeft
        option.currentText = self.fontMetrics().elidedText(
            self.currentText(), cut, place.width() - 2 * _PADDING_PX
        )
        painter = QStylePainter(self)
        painter.drawComplexControl(control, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

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
