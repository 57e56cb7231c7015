"""Replay bar of the timeline: a button to play or pause, and one for the speed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from stackglass_viewer.presenter.live.replay import SPEEDS, ReplayState
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme

_PLAY, _PAUSE = "Play", "Pause replay"
_ABOUT_PLAY = "Move the span over the timeline, and every view with it (P)"
_ABOUT_PAUSE = "Pause the replay at this moment (P)"
_ABOUT_SPEED = "Speed of the replay: 1, 4 or 16 seconds of the session in a second (Shift+P)"


class ReplayBar(QWidget):
    """Shows the state of the replay, and emits the user's actions."""

    toggled = Signal()
    speed_stepped = Signal()  # change to the next speed

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = ReplayState()
        self._play, self._speed = QToolButton(self), QToolButton(self)
        self._speed.setToolTip(_ABOUT_SPEED)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for button in (self._play, self._speed):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self._speed.setText(f"{SPEEDS[-1]}×")
        self._speed.setFixedWidth(self._speed.sizeHint().width())  # neighbours keep their places
        self._play.clicked.connect(self.toggled)
        self._speed.clicked.connect(self.speed_stepped)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_state(self._state)

    def show_state(self, state: ReplayState) -> None:
        """Show what the replay does now."""
        self._state = state
        icon = "pause" if state.is_playing else "resume"
        self._play.setIcon(load_icon(icon, self._theme.text, self._theme.faint))
        self._play.setAccessibleName(_PAUSE if state.is_playing else _PLAY)
        self._play.setToolTip(_ABOUT_PAUSE if state.is_playing else _ABOUT_PLAY)
        self._speed.setText(f"{state.speed}×")
        self._speed.setAccessibleName(f"Replay speed: {state.speed}×")
