"""Segmented control: a row of buttons, one of which is pressed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QToolButton, QWidget


class SegmentedControl(QFrame):
    """A choice of one key, which is emitted at a click. ``choices``: (key, text) of each button."""

    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("segment")
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        for key, label in choices:
            button = QToolButton(self)
            button.setText(label)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self._buttons[key] = button
            row.addWidget(button)

    @property
    def buttons(self) -> tuple[QToolButton, ...]:
        """All buttons, from left to right."""
        return tuple(self._buttons.values())

    def button(self, key: str) -> QToolButton:
        """The button of a choice."""
        return self._buttons[key]

    def set_tool_tips(self, texts: dict[str, str]) -> None:
        for key, text in texts.items():
            self._buttons[key].setToolTip(text)

    def choose(self, key: str) -> None:
        """Press the button of a choice, without a signal."""
        self._buttons[key].setChecked(True)

    def set_text(self, key: str, text: str) -> None:
        if self._buttons[key].text() != text:
            self._buttons[key].setText(text)

    def set_visible(self, key: str, is_visible: bool) -> None:
        self._buttons[key].setVisible(is_visible)

    def set_enabled(self, key: str, is_enabled: bool) -> None:
        self._buttons[key].setEnabled(is_enabled)
