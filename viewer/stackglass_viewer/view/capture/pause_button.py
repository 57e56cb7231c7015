"""Pause button of a capture's bar: it says Resume while the view is paused."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton, QWidget

from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.tool_button import make_tool_button


def make_pause_button(parent: QWidget) -> QToolButton:
    """Make a button that stays down while the view is paused.

    Call ``show_pause`` after each change of its state.
    """
    button = make_tool_button("Pause", "", parent)
    button.setCheckable(True)
    return button


def show_pause(button: QToolButton, theme: Theme, about: str) -> None:
    """Set the button's text, tool tip and icon to what the next press does. ``about``: the tool tip
    of a press that pauses."""
    is_paused = button.isChecked()
    button.setToolTip("Resume (Space)" if is_paused else about)
    button.setText(" Resume" if is_paused else " Pause")
    button.setIcon(load_icon("resume" if is_paused else "pause", theme.text, theme.faint))
