"""Bar of a tab that fetches profiles from a server: interval, part, pause, clear, save, state."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from stackglass_viewer.model.remote.snapshots import INTERVALS_S, SnapshotKind, SnapshotPart
from stackglass_viewer.model.units import format_quantity, format_value
from stackglass_viewer.presenter.remote.poller import PollStatus
from stackglass_viewer.presenter.remote.source import PART_TEXTS
from stackglass_viewer.view.capture.pause_button import make_pause_button, show_pause
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import FiguresLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme, set_style
from stackglass_viewer.view.widgets.tool_button import make_tool_button

_TIPS = {
    SnapshotKind.RECORDED: "Each snapshot is recorded for this long",
    SnapshotKind.CUMULATIVE: "Seconds between two snapshots",
    SnapshotKind.MOMENTARY: "Seconds between two snapshots",
}
_PART_TIPS = {
    SnapshotPart.NOW: "The newest snapshot as the server sent it",
    SnapshotPart.ALL: "What was added since the tab was opened, or since Clear",
    SnapshotPart.LAST: "What the newest snapshot adds to the one before",
}
_PHASES = {
    "fetching": "● Live",
    "waiting": "● Live",
    "retrying": "● Disconnected",
    "paused": "Ⅱ Paused",
}
_NAMES = {"retrying": "bad", "paused": "strong"}
_ABOUT_PAUSE = "Stop fetching until resumed (Space)"


class RemoteBar(QFrame):
    """Shows the state of the fetching, and emits each change that the user asks for."""

    interval_chosen = Signal(int)  # seconds
    part_chosen = Signal(object)  # SnapshotPart
    pause_toggled = Signal(bool)
    clear_requested = Signal()
    save_requested = Signal()

    def __init__(
        self,
        kind: SnapshotKind,
        parts: tuple[SnapshotPart, ...],
        interval_s: int,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._theme = theme
        self._interval = ChoiceBox(self)
        self._interval.setAccessibleName("Interval")
        self._interval.setToolTip(_TIPS[kind])
        for seconds in sorted({*INTERVALS_S, interval_s}):
            self._interval.addItem(f"{seconds} s", seconds)
        self._interval.setCurrentIndex(self._interval.findData(interval_s))
        self._pause = make_pause_button(self)
        self._clear = make_tool_button(
            "Clear", "Show only what is added from now on (Ctrl+Shift+Del)", self
        )
        self._clear.setVisible(SnapshotPart.ALL in parts)
        self._save = make_tool_button(
            "Save", "Save the newest snapshot as the server sent it (Ctrl+S)", self
        )
        self._part = SegmentedControl([(part.value, PART_TEXTS[part]) for part in parts], self)
        self._part.set_tool_tips({part.value: _PART_TIPS[part] for part in parts})
        self._part.choose(parts[0].value)
        self._part.setVisible(len(parts) > 1)
        self._phase = QLabel(self)
        self._about = FiguresLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(QLabel("Interval", self))
        row.addWidget(self._interval)
        row.addSpacing(6)
        for button in (self._pause, self._clear, self._save):
            row.addWidget(button)
        row.addSpacing(12)
        row.addWidget(self._phase)
        row.addWidget(self._about, 1)
        row.addWidget(self._part)
        self._interval.activated.connect(
            lambda: self.interval_chosen.emit(int(self._interval.currentData()))
        )
        self._pause.toggled.connect(self._on_pause_toggled)
        self._clear.clicked.connect(self.clear_requested)
        self._save.clicked.connect(self.save_requested)
        self._part.chosen.connect(lambda key: self.part_chosen.emit(SnapshotPart(key)))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._clear.setIcon(load_icon("clear", theme.text, theme.faint))
        self._save.setIcon(load_icon("save", theme.text, theme.faint))
        show_pause(self._pause, theme, _ABOUT_PAUSE)

    def toggle_pause(self) -> None:
        self._pause.toggle()

    def show_status(self, status: PollStatus) -> None:
        self._phase.setText(_PHASES[status.phase])
        set_style(self._phase, _NAMES.get(status.phase, "live"))
        when = time.strftime("%H:%M:%S", time.localtime(status.fetched_unix_s))
        snapshots = format_quantity(status.n_fetched, "snapshot")
        self._about.set_text(
            f"{snapshots}  ·  last {when}  ·  {format_value(status.n_bytes, 'bytes')}",
            status.error,
        )

    def _on_pause_toggled(self, is_paused: bool) -> None:
        show_pause(self._pause, self._theme, _ABOUT_PAUSE)
        self.pause_toggled.emit(is_paused)
