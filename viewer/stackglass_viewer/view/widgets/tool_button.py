"""Buttons of the bars above a profile: an icon and a word, reached by Tab and never by a click."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget


def make_tool_button(text: str, tool_tip: str, parent: QWidget) -> QToolButton:
    """A button without its icon, which comes with the theme. GUI thread."""
    button = QToolButton(parent)
    button.setText(f" {text}")
    button.setToolTip(tool_tip)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
