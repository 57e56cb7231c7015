"""Replay controls of the timeline: play or pause, and how fast."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from stackglass_viewer.presenter.live.replay import SPEEDS, ReplayState
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

_PLAY, _PAUSE = "Play", "Pause replay"
_TIP = "Let the span move over the timeline, and every view with it (P)"


class ReplayBar(QWidget):
    """Emits what the user wants of the replay."""

    toggled = Signal()
    speed_chosen = Signal(int)  # of SPEEDS

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = ReplayState()
        self._play = QToolButton(self)
        self._play.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._speeds = SegmentedControl([(str(each), f"{each}×") for each in SPEEDS], self)
        self._speeds.set_tool_tips(
            {str(each): f"{each} s of the session in a second (Shift+P)" for each in SPEEDS}
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._play)
        row.addWidget(self._speeds)
        self._play.clicked.connect(self.toggled)
        self._speeds.chosen.connect(lambda key: self.speed_chosen.emit(int(key)))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_state(self._state)

    def show_state(self, state: ReplayState) -> None:
        """What it does now."""
        self._state = state
        words = _PAUSE if state.is_playing else _PLAY
        icon = "pause" if state.is_playing else "resume"
        self._play.setIcon(load_icon(icon, self._theme.text, self._theme.faint))
        self._play.setAccessibleName(words)
        self._play.setToolTip("Stay where it is (P)" if state.is_playing else _TIP)
        self._speeds.choose(str(state.speed))
