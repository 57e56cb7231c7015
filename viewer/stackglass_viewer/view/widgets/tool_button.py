"""Tool button: a button of a bar, with an icon and a text, that takes the focus only by Tab."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget


def make_tool_button(text: str, tool_tip: str, parent: QWidget) -> QToolButton:
    """Make a button without its icon, which the caller sets with the theme."""
    button = QToolButton(parent)
    button.setText(f" {text}")
    button.setToolTip(tool_tip)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
