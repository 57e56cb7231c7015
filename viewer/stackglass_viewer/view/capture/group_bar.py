"""Bar of a tab that adds up several processes: pause, save, and how many are attached."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.settings.view_state import GroupStatus
from stackglass_viewer.view.capture.pause_button import make_pause_button, show_pause
from stackglass_viewer.view.widgets.elided_label import FiguresLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme, set_style
from stackglass_viewer.view.widgets.tool_button import make_tool_button

_ABOUT_PAUSE = "Pause the view; the captures of all processes go on (Space)"


class GroupBar(QFrame):
    """Shows the state of the group, and emits what the user asks for."""

    pause_toggled = Signal(bool)
    save_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._theme = theme
        self._pause = make_pause_button(self)
        self._save = make_tool_button(
            "Save", "Save the profile of all processes, with the process as a label (Ctrl+S)", self
        )
        self._phase = QLabel(self)
        self._about = FiguresLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for button in (self._pause, self._save):
            row.addWidget(button)
        row.addSpacing(12)
        row.addWidget(self._phase)
        row.addWidget(self._about, 1)
        self._pause.toggled.connect(self._on_pause_toggled)
        self._save.clicked.connect(self.save_requested)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._save.setIcon(load_icon("save", theme.text, theme.faint))
        show_pause(self._pause, theme, _ABOUT_PAUSE)

    def toggle_pause(self) -> None:
        self._pause.toggle()

    def show_status(self, status: GroupStatus) -> None:
        text, name = _describe_phase(status)
        self._phase.setText(text)
        set_style(self._phase, name)
        self._about.set_text(_describe_members(status))

    def _on_pause_toggled(self, is_paused: bool) -> None:
        show_pause(self._pause, self._theme, _ABOUT_PAUSE)
        self.pause_toggled.emit(is_paused)


def _describe_phase(status: GroupStatus) -> tuple[str, str]:
    """Return the text of a state, and the object name that selects its rule of the style sheet."""
    if not status.n_attached:
        return "● Not attached", "strong"
    return ("Ⅱ Paused", "strong") if status.is_paused else ("● Live", "live")


def _describe_members(status: GroupStatus) -> str:
    """``all attached``, ``3 of 5 attached``, or nothing, as the state says it."""
    n_attached, n_processes = status.n_attached, status.n_processes
    if not n_attached:
        return ""
    if n_attached == n_processes:
        return "all attached"
    return f"{format_count(n_attached)} of {format_count(n_processes)} attached"
