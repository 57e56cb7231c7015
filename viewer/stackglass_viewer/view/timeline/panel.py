"""Timeline panel above a live graph: modes, replay, values at a moment, plot and lane bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from stackglass_viewer.model.memory.timeline import UNITS_PER_S, TimelineMoment, TimelinePause
from stackglass_viewer.model.units import format_clock, format_count, format_value
from stackglass_viewer.presenter.live.texts import ABOUT_NOW, NOW, describe_no_memory, name_latest
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarks
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.timeline.lane_bar import LaneBar
from stackglass_viewer.view.timeline.line_dot import LineDot
from stackglass_viewer.view.timeline.replay_bar import ReplayBar
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

if TYPE_CHECKING:  # it imports pyqtgraph
    from stackglass_viewer.view.timeline.plot import TimelinePlot

_MODES = (("now", NOW), ("growth", "What grew"), ("span", "A span"))
_TIPS = {
    "now": ABOUT_NOW,
    "growth": "Compare two moments: drag A and B, or press [ and ] to put them at the pointer",
    "span": "Show only what was allocated or sampled in a span: drag over the timeline",
}
_PLOT_PX = 208
_WHOLE_PLOT_PX = 56  # least height of the plot with all its rows
_LEAST_PLOT_PX = 34  # least height of the plot, with one row; with less room, it is hidden
_BARS_PX = 74  # height of both bars
_LEAST_PX = 900  # least width of the panel
_SHARE = 0.35  # greatest share of the tab's height that the panel takes
# (key, caption, digits that the reading has room for)
_READINGS = (
    ("time", "", 8),
    ("rss", "RSS", 10),
    ("in_use", "in use", 10),
    ("rate", "allocates", 12),
    ("pause", "GC", 32),
)
_NOTHING = "–"
_LEAST_PAUSE_DIGITS = 4  # least room for the last reading, which is cut in a narrow window


class TimelinePanel(QFrame):
    """A panel to which the plot is added later, since the plot imports pyqtgraph. It has its full
    height from the start, so that nothing jumps when the plot comes. If it is narrow, it hides the
    last readings; if it is low, the plot."""

    mode_chosen = Signal(str)  # now, growth, span

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.setMinimumSize(_LEAST_PX, _BARS_PX)
        self.setMaximumHeight(_PLOT_PX + _BARS_PX)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._plot: TimelinePlot | None = None
        self._status: LiveStatus | None = None  # as last reported
        self._is_paused = False
        self._modes = SegmentedControl(_MODES, self)
        self._modes.set_tool_tips(_TIPS)
        self._modes.choose("now")
        self._dots: dict[str, LineDot] = {}
        self._readings: dict[str, ElidedLabel] = {}
        self._groups: list[tuple[QWidget, ...]] = []  # each reading with its dot and caption
        row = self._row = QHBoxLayout()
        row.setContentsMargins(12, 5, 12, 2)
        row.setSpacing(6)
        row.addWidget(self._modes)
        row.addSpacing(8)
        self.replay = ReplayBar(theme, self)
        row.addWidget(self.replay)
        row.addStretch()
        for key, caption, n_digits in _READINGS:
            self._add_reading(row, key, caption, n_digits)
        self._waiting = QLabel("…", self)
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(row)
        self._column.addWidget(self._waiting, 1)
        self.lane = LaneBar(self)
        self._column.addWidget(self.lane)
        self._modes.chosen.connect(self.mode_chosen)
        self.set_theme(theme)
        if parent is not None:
            parent.installEventFilter(self)

    def _add_reading(self, row: QHBoxLayout, key: str, caption: str, n_digits: int) -> None:
        row.addSpacing(8)
        before: list[QWidget] = []
        if caption:
            self._dots[key] = LineDot(self)
            before = [self._dots[key], QLabel(caption, self)]
        for part in before:
            row.addWidget(part)
        reading = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        reading.set_text(_NOTHING)
        reading.setObjectName("reading")
        reading.setFont(fixed_font())
        side = Qt.AlignmentFlag.AlignLeft if key == "pause" else Qt.AlignmentFlag.AlignRight
        reading.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        letters_px = reading.fontMetrics().horizontalAdvance("0")
        reading.setMaximumWidth(n_digits * letters_px)
        least = _LEAST_PAUSE_DIGITS if key == "pause" else n_digits
        reading.setMinimumWidth(least * letters_px)
        reading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row.addWidget(reading, n_digits)
        self._readings[key] = reading
        self._groups.append((*before, reading))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._plot is not None:
            self._plot.setVisible(self.height() >= _LEAST_PLOT_PX + _BARS_PX)
        for n_shown in range(len(self._groups), 0, -1):
            for index, parts in enumerate(self._groups):
                for part in parts:
                    part.setVisible(index < n_shown)
            self._row.invalidate()
            if self._row.minimumSize().width() <= self.width():
                return

    def sizeHint(self) -> QSize:
        tab = self.parentWidget()
        most_px = round(tab.height() * _SHARE) if tab is not None else _PLOT_PX + _BARS_PX
        least_px = _WHOLE_PLOT_PX + _BARS_PX
        height_px = min(max(most_px, least_px), _PLOT_PX + _BARS_PX)
        return QSize(super().sizeHint().width(), height_px)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent():
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def add_plot(self, plot: TimelinePlot) -> None:
        """Add the plot, a child of this widget."""
        self._waiting.hide()
        plot.setMinimumHeight(_LEAST_PLOT_PX)
        plot.setMaximumHeight(_PLOT_PX)
        self._column.insertWidget(1, plot, 1)
        self._plot = plot
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        colours = {
            "rss": theme.muted,
            "in_use": theme.accent,
            "rate": theme.ok,
            "pause": theme.warning,
        }
        for key, dot in self._dots.items():
            dot.set_colour(QColor(colours[key]))
        self.replay.set_theme(theme)
        self.lane.set_theme(theme)
        if self._plot is not None:
            self._plot.set_theme(theme)

    def show_status(self, status: LiveStatus) -> None:
        """Name the latest moment, and say why there is no memory in use to draw, if there is
        none."""
        self._status = status
        self._name_latest()
        self.lane.show_attached(status.is_attached)
        if self._plot is not None:
            self._plot.say(describe_no_memory(status))

    def show_paused(self, is_paused: bool) -> None:
        """Name the latest moment of a tab that is paused, or follows the process again."""
        self._is_paused = is_paused
        self._name_latest()

    def _name_latest(self) -> None:
        if self._status is None:
            return
        text, about = name_latest(self._status, self._is_paused)
        if text != self._modes.button("now").text():
            self._modes.set_text("now", text)
            self._modes.set_tool_tips({"now": about})
            self._fit()

    def show_marks(self, marks: TimelineMarks) -> None:
        self._modes.choose(marks.mode)

    def show_moment(self, moment: TimelineMoment) -> None:
        """Show the time and the values of a moment."""
        readings = self._readings
        readings["time"].set_text(format_clock(moment.time / UNITS_PER_S))
        for key, value, suffix in (
            ("rss", moment.rss_bytes, ""),
            ("in_use", moment.accounted_bytes, ""),
            ("rate", moment.rate_bytes, "/s"),
        ):
            text = _NOTHING if value is None else format_value(value, "bytes") + suffix
            readings[key].set_text(text)
        readings["pause"].set_text(_say_pause(moment.pause))


def _say_pause(pause: TimelinePause | None) -> str:
    """Return a pause as ``gen 2: 12.3 ms, 120 freed``; of several, the number and the longest."""
    if pause is None:
        return _NOTHING
    length = format_value(pause.longest_ns, "nanoseconds")
    several = f"{pause.n_pauses} × " if pause.n_pauses > 1 else ""
    up_to = "≤ " if pause.n_pauses > 1 else ""
    return f"{several}gen {pause.generation}: {up_to}{length}, {format_count(pause.n_freed)} freed"
