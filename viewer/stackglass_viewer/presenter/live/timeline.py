"""Timeline of a process: memory, and a lane of metrics, over the visible part of a session.

It is drawn off the GUI thread.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory.history import MemoryRecord
from stackglass_viewer.model.memory.timeline import (
    TimelineMoment,
    TimelinePicture,
    draw_timeline,
    read_timeline,
)
from stackglass_viewer.model.metrics.history import MetricsRecord
from stackglass_viewer.model.metrics.lanes import LaneKey, LanePicture, draw_lane, read_lane
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers
from stackglass_viewer.presenter.settings.lane_choices import colour_line, find_choice
from stackglass_viewer.presenter.worker import Worker

_REFRESH_MS = 300
_LEAST_UNITS = 30 * 100  # 30 s: the axis of a young session is not divided into milliseconds
_REACH_PX = 4  # the pointer's greatest distance from a pause that it reads
_PX_PER_POINT = 2  # a peak is two pixels wide, which halves the points to draw
_LEAST_ZOOM = 50  # the fewest units that fill the width: half a second


class _Records(NamedTuple):
    """What is known of a session at one moment."""

    memory: MemoryRecord
    metrics: MetricsRecord

    @property
    def whole(self) -> tuple[int, int]:
        """The first and the last moment of all data, in units."""
        starts = [] if self.memory.is_empty else [self.memory.first]
        starts += [] if self.metrics.first is None else [self.metrics.first]
        return min(starts, default=0), max(self.memory.now, self.metrics.now)


class _Drawn(NamedTuple):
    """The pictures of a span."""

    picture: TimelinePicture
    lane: LanePicture
    lane_now: int  # units; time of the last metrics
    n_px: int  # points in the width of the pictures


class Timeline(QObject):
    """Draws memory and metrics in a thread of its own: the document's worker may be busy. GUI
    thread."""

    picture_changed = Signal(object)  # TimelinePicture
    moment_changed = Signal(object)  # TimelineMoment: at pointer, else of replay, else the last
    lane_changed = Signal(object)  # LanePicture of the same span
    lane_chosen = Signal(object, object)  # LaneChoice, and a colour for each line: 0xAARRGGBB
    lane_moment_changed = Signal(object)  # dict[str, float]: value of each line at that moment

    def __init__(self, live: LiveProfile, palette: Palette, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._palette = palette
        self._live = live
        self._worker = Worker("timeline", self)
        self.markers = TimelineMarkers(live, self._worker, self)
        self.markers.changed.connect(lambda _: self._read_moment())
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._on_timer)
        self._picture: TimelinePicture | None = None
        self._lane: LanePicture | None = None
        self._lane_now = 0  # units; time of the last metrics that were drawn
        self._lane_key: LaneKey = "threads"
        self._view: tuple[float, float] | None = None  # None = the whole session
        self._hovered: float | None = None
        self._width_px = 0
        self._drawn_px = 0  # points in the width of the last pictures, not of those requested
        self._is_paused = False
        self._held: _Records | None = None  # of the moment of a pause; None = the latest are drawn
        self._is_wanted, self._is_front = False, True

    @property
    def picture(self) -> TimelinePicture | None:
        """The last picture; None = none was drawn yet."""
        return self._picture

    @property
    def lane(self) -> LanePicture | None:
        """The last picture of the lane; None = none was drawn yet."""
        return self._lane

    def choose_lane(self, key: LaneKey) -> None:
        """Choose the metrics that are shown below the memory."""
        self._lane_key = key
        self.announce_lane()
        self.draw()

    def choose_palette(self, palette: Palette) -> None:
        """Use other colours."""
        self._palette = palette
        self.announce_lane()

    def announce_lane(self) -> None:
        """Emit ``lane_chosen``."""
        choice = find_choice(self._lane_key)
        colours = {line.key: colour_line(line, self._palette) for line in choice.lines}
        self.lane_chosen.emit(choice, colours)

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        self.markers.blockSignals(True)
        self._timer.stop()
        self._worker.leave()

    def wait(self) -> None:
        """Wait until the thread has ended. Any thread may call this method, after ``leave``."""
        self._worker.wait()

    def show(self, is_wanted: bool | None = None, *, is_front: bool | None = None) -> None:
        """Note whether the timeline is wanted and whether its tab is in front; None = as before.
        It is drawn only if both hold. The heap's window stays."""
        self._is_wanted = self._is_wanted if is_wanted is None else is_wanted
        self._is_front = self._is_front if is_front is None else is_front
        is_drawn = self._is_wanted and self._is_front
        if is_drawn == self._timer.isActive():
            return
        if is_drawn:
            self._timer.start()
            self.draw()
        else:
            self._timer.stop()

    def pause(self, is_paused: bool) -> None:
        """Draw the data of this moment whatever is chosen meanwhile, or follow the process again.

        The records are views of the session's own columns, and take little memory.
        """
        self._is_paused = is_paused
        self._held = None
        if is_paused:
            self._worker.submit("hold", partial(_capture, self._live), self._hold)

    def _hold(self, records: _Records) -> None:
        if self._is_paused:
            self._held = records
            if self._timer.isActive():  # else it cannot be seen
                self.draw()

    # -- what is drawn

    def set_width(self, width_px: int) -> None:
        """Set the width of the timeline."""
        if width_px != self._width_px:
            self._width_px = width_px
            self.markers.set_width(width_px)
            self.draw()

    def zoom(self, center: float, factor: float) -> None:
        """Show less time around a moment (``factor`` above 1) or more, within the session."""
        left, right = self._range()
        span = min(max((right - left) / factor, _LEAST_ZOOM), self._whole()[1] - self._whole()[0])
        share = (center - left) / (right - left) if right > left else 0.5
        self._look_at(center - share * span, span)

    def pan(self, units: float) -> None:
        """Move the visible time by ``units``: later (above 0) or earlier, within the session."""
        left, right = self._range()
        if self._view is not None:
            self._look_at(left + units, right - left)

    def show_all(self) -> None:
        """Show the whole session, and follow it as it grows."""
        self._view = None
        self.draw()

    def draw(self) -> None:
        """Draw the visible time; ``picture_changed`` follows if there is something new."""
        n_px, view, live = max(self._width_px // _PX_PER_POINT, 1), self._view, self._live
        key, lane = self._lane_key, self._lane
        is_same = n_px == self._drawn_px and lane is not None and lane.key == key
        drawn, lane_now, held = self._picture if is_same else None, self._lane_now, self._held

        def compute() -> _Drawn:
            memory, metrics = records = held or _capture(live)
            first, now = records.whole
            left, right = view or _whole_of(first, now)
            span = (left, right, now, metrics.now)
            if drawn and lane and (drawn.left, drawn.right, drawn.now, lane_now) == span:
                # Nothing is new: the process has ended, or is no longer attached.
                return _Drawn(drawn, lane, lane_now, n_px)
            return _Drawn(
                draw_timeline(memory, left, right, n_px, (first, now)),
                draw_lane(metrics, key, left, right, n_px),
                metrics.now,
                n_px,
            )

        self._worker.submit("draw", compute, self._on_drawn)

    def _on_timer(self) -> None:
        if not self._is_paused and not self._worker.is_busy("draw"):
            self.draw()

    def _on_drawn(self, drawn: _Drawn) -> None:
        picture, lane, self._lane_now, self._drawn_px = drawn
        if picture is self._picture:
            return
        self._picture, self._lane = picture, lane
        self.picture_changed.emit(picture)
        self.lane_changed.emit(lane)
        self._read_moment()
        self.markers.set_picture(picture)

    def _whole(self) -> tuple[float, float]:
        picture = self._picture
        return _whole_of(picture.first, picture.now) if picture is not None else (0.0, 1.0)

    def _range(self) -> tuple[float, float]:
        return self._view or self._whole()

    def _look_at(self, left: float, span: float) -> None:
        first, last = self._whole()
        if span >= last - first:
            self.show_all()
            return
        left = min(max(left, first), last - span)
        self._view = (left, left + span)
        self.draw()

    # -- the pointer

    def hover(self, time: float | None) -> None:
        """Note the moment under the pointer; None = the pointer has left."""
        self._hovered = time
        self.markers.hover(time)
        self._read_moment()

    def _read_moment(self) -> None:
        picture = self._picture
        if picture is None:
            return
        px = (picture.right - picture.left) / max(self._width_px, 1)
        marks = self.markers.marks
        last = marks.span[1] if marks.mode == "span" and marks.is_replay else float(picture.now)
        time = last if self._hovered is None else self._hovered
        moment: TimelineMoment = read_timeline(picture, time, _REACH_PX * px)
        self.moment_changed.emit(moment)
        self.lane_moment_changed.emit(read_lane(self._lane, time) if self._lane else {})


def _capture(live: LiveProfile) -> _Records:
    return _Records(live.capture_memory(), live.capture_metrics())


def _whole_of(first: int, now: int) -> tuple[float, float]:
    return float(first), float(max(now, first + _LEAST_UNITS))
