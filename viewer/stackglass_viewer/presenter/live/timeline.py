"""Timeline of a process's memory: the picture, two markers, a span, and what they select.

::

    now ◀──Esc── growth   markers a and b: what is in use at b less what was at a
     └────────── span     what was allocated in it, or the samples taken

``b`` is at None while it stands for now, whenever that is. Times are units of 10 ms since the
session's start; those that a user set become the known moments next to them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory.timeline import (
    TimelineMoment,
    TimelinePicture,
    draw_timeline,
    read_timeline,
)
from stackglass_viewer.presenter.worker import Worker

_REFRESH_MS = 300
_LEAST_UNITS = 30 * 100  # of a young session: the axis does not begin with milliseconds
_REACH_PX = 4  # how close a pause has to be in order to be read
_PX_PER_POINT = 2  # a peak is two pixels wide: half the points to draw
_LEAST_ZOOM = 50  # units that fill the width
_QUARTER = 0.25  # where a marker is put that has no place yet

TimelineMode = Literal["now", "growth", "span"]
Marker = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class TimelineMarks:
    """What stands on the timeline."""

    mode: TimelineMode = "now"
    a: float = 0.0
    b: float | None = None  # None = now
    span: tuple[float, float] = (0.0, 0.0)

    @property
    def window(self) -> HeapWindow | None:
        """What of the heap is looked at; None = as it is now."""
        if self.mode == "growth":
            return HeapWindow("growth", round(self.a), None if self.b is None else round(self.b))
        if self.mode == "span":
            return HeapWindow("span", round(self.span[0]), round(self.span[1]))
        return None


class Timeline(QObject):
    """GUI thread; captures and thins in a thread of its own, since the document's may be busy."""

    picture_changed = Signal(object)  # TimelinePicture
    marks_changed = Signal(object)  # TimelineMarks
    moment_changed = Signal(object)  # TimelineMoment: under the pointer, else the last
    window_changed = Signal(object)  # HeapWindow; None = now

    def __init__(self, live: LiveProfile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._live = live
        self._worker = Worker("timeline", self)
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._on_timer)
        self._picture: TimelinePicture | None = None
        self._marks = TimelineMarks()
        self._view: tuple[float, float] | None = None  # None = the whole session
        self._hovered: float | None = None
        self._last_moved: Marker = "a"
        self._has_a = False
        self._due: Marker | None = None  # asked for before anything was drawn
        self._width_px = 0
        self._drawn_px = 0
        self._is_paused = False

    @property
    def marks(self) -> TimelineMarks:
        return self._marks

    @property
    def picture(self) -> TimelinePicture | None:
        """None until it was drawn the first time."""
        return self._picture

    def leave(self) -> None:
        """End the thread; no signal is emitted any more."""
        self.blockSignals(True)
        self._timer.stop()
        self._worker.leave()

    def wait(self) -> None:
        """Until the thread has ended. Any thread; after ``leave``."""
        self._worker.wait()

    def show(self, is_shown: bool) -> None:
        """Draw only while it is shown; the heap's window stays."""
        if is_shown:
            self._timer.start()
            self.draw()
        else:
            self._timer.stop()

    def pause(self, is_paused: bool) -> None:
        """Freeze the picture; later data are drawn afterwards."""
        self._is_paused = is_paused

    # -- what is drawn

    def set_width(self, width_px: int) -> None:
        """So many pixels there are for a span."""
        if width_px != self._width_px:
            self._width_px = width_px
            self.draw()

    def zoom(self, center: float, factor: float) -> None:
        """Show less time (factor above 1) or more about a moment, within the session."""
        left, right = self._range()
        span = min(max((right - left) / factor, _LEAST_ZOOM), self._whole()[1] - self._whole()[0])
        share = (center - left) / (right - left) if right > left else 0.5
        self._look_at(center - share * span, span)

    def pan(self, units: float) -> None:
        """Show later time (above 0) or earlier, within the session."""
        left, right = self._range()
        if self._view is not None:
            self._look_at(left + units, right - left)

    def show_all(self) -> None:
        """The whole session, and what is to come."""
        self._view = None
        self.draw()

    def draw(self) -> None:
        """Capture and thin; ``picture_changed`` follows."""
        n_px, view, live = max(self._width_px // _PX_PER_POINT, 1), self._view, self._live
        drawn = self._picture if n_px == self._drawn_px else None
        self._drawn_px = n_px

        def compute() -> TimelinePicture:
            record = live.capture_memory()
            left, right = view or _whole_of(record.first, record.now)
            if drawn is not None and (drawn.left, drawn.right, drawn.now) == (
                left,
                right,
                record.now,
            ):
                return drawn  # nothing is new: the process is left, or has ended
            return draw_timeline(record, left, right, n_px)

        self._worker.submit("draw", compute, self._on_drawn)

    def _on_timer(self) -> None:
        if not self._is_paused and not self._worker.is_busy("draw"):
            self.draw()

    def _on_drawn(self, picture: TimelinePicture) -> None:
        if picture is self._picture:
            return
        self._picture = picture
        self.picture_changed.emit(picture)
        self._tell_moment()
        if self._due is not None:
            due, self._due = self._due, None
            self.put_marker(due)

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
        """The pointer is at a moment; None = it has left."""
        self._hovered = time
        self._tell_moment()

    def _tell_moment(self) -> None:
        picture = self._picture
        if picture is None:
            return
        px = (picture.right - picture.left) / max(self._width_px, 1)
        time = float(picture.now) if self._hovered is None else self._hovered
        moment: TimelineMoment = read_timeline(picture, time, _REACH_PX * px)
        self.moment_changed.emit(moment)

    # -- markers and span

    def choose_mode(self, mode: TimelineMode) -> None:
        """As it is now, what grew, or a span."""
        first, last = self._range()
        now = self._picture.now if self._picture is not None else last
        marks = replace(self._marks, mode=mode)
        if mode == "growth" and not self._has_a:
            self._has_a = True
            marks = replace(marks, a=first + (min(now, last) - first) * _QUARTER)
        if mode == "span" and marks.span[1] <= marks.span[0]:
            quarter = (min(now, last) - first) * _QUARTER
            marks = replace(marks, span=(first + quarter, first + 3 * quarter))
        self._set(marks)
        self._settle()

    def move_marker(self, marker: Marker, time: float) -> None:
        """A marker is being dragged."""
        self._last_moved = marker
        self._has_a = True
        time = self._limit(time)
        if marker == "a":
            self._set(replace(self._marks, mode="growth", a=time))
        else:
            self._set(replace(self._marks, mode="growth", b=time))

    def drop_marker(self) -> None:
        """The mouse button was released: move the marker to the nearest known moment."""
        self._settle()

    def put_marker(self, marker: Marker) -> None:
        """Where the pointer is; without one, at this moment, to which ``b`` then stays."""
        picture = self._picture
        if picture is None:
            self._due = marker
            return
        if marker == "b" and self._hovered is None:
            self._last_moved = "b"
            self._set(replace(self._marks, mode="growth", b=None))
            if not self._has_a:
                self.choose_mode("growth")
            return
        self.move_marker(marker, picture.now if self._hovered is None else self._hovered)
        self._settle()

    def step_marker(self, n_px: int) -> None:
        """The marker that was moved last, by so many pixels (below 0: earlier)."""
        picture, marks = self._picture, self._marks
        if picture is None or marks.mode != "growth":
            return
        at = marks.a if self._last_moved == "a" else marks.b
        px = (picture.right - picture.left) / max(self._width_px, 1)
        self.move_marker(self._last_moved, (picture.now if at is None else at) + n_px * px)
        self._settle()

    def choose_span(self, begin: float, end: float) -> None:
        """A brush was drawn."""
        span = (self._limit(min(begin, end)), self._limit(max(begin, end)))
        self._set(replace(self._marks, mode="span", span=span))

    def _limit(self, time: float) -> float:
        picture = self._picture
        return time if picture is None else min(max(time, picture.first), picture.now)

    def _set(self, marks: TimelineMarks) -> None:
        before, self._marks = self._marks, marks
        self.marks_changed.emit(marks)
        if marks.window != before.window:
            self.window_changed.emit(marks.window)

    def _settle(self) -> None:
        """Put markers on moments that are known. Asks in the worker: the profile may be busy."""
        marks, live = self._marks, self._live
        if marks.mode != "growth":
            return

        def compute() -> TimelineMarks:
            b = None if marks.b is None else float(live.snap_heap(marks.b))
            return replace(marks, a=float(live.snap_heap(marks.a)), b=b)

        def on_done(settled: TimelineMarks) -> None:
            if self._marks == marks:  # no marker has moved since
                self._set(settled)

        self._worker.submit("settle", compute, on_done)


def _whole_of(first: int, now: int) -> tuple[float, float]:
    return float(first), float(max(now, first + _LEAST_UNITS))
