"""Markers and span of a timeline, and the part of the heap that they select.

::

    now ◀──Esc── growth   markers a and b: memory in use at b less memory in use at a
     └────────── span     allocations or samples in the span; a replay moves the span

``b`` is None while it stands for the latest moment, which moves on as data come. Times are units of
10 ms since the session's start. Markers that the user sets move to the nearest known moments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.heap.diff import HeapWindow, WindowKind
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory.timeline import TimelinePicture
from stackglass_viewer.presenter.worker import Worker

_QUARTER = 0.25  # of the visible time: the first place of a marker

TimelineMode = Literal["now", "growth", "span"]
Marker = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class TimelineMarks:
    """The markers and the span of a timeline."""

    mode: TimelineMode = "now"
    a: float = 0.0
    b: float | None = None  # None = the latest moment
    span: tuple[float, float] = (0.0, 0.0)
    is_replay: bool = False  # the span moves by itself; memory in use is that at its end

    @property
    def window(self) -> HeapWindow | None:
        """The window through which the heap is shown; None = the present heap."""
        if self.mode == "growth":
            return HeapWindow("growth", round(self.a), None if self.b is None else round(self.b))
        if self.mode == "span":
            kind: WindowKind = "replay" if self.is_replay else "span"
            return HeapWindow(kind, round(self.span[0]), round(self.span[1]))
        return None


class TimelineMarkers(QObject):
    """Moves markers and span. The timeline passes its picture and the pointer. GUI thread."""

    changed = Signal(object)  # TimelineMarks
    window_changed = Signal(object)  # HeapWindow; None = now

    def __init__(self, live: LiveProfile, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._live = live
        self._worker = worker
        self._marks = TimelineMarks()
        self._picture: TimelinePicture | None = None
        self._width_px = 0
        self._hovered: float | None = None
        self._last_moved: Marker = "a"
        self._has_a = False  # whether marker a has a place
        self._due: Marker | None = None  # marker that was requested before the first picture

    @property
    def marks(self) -> TimelineMarks:
        return self._marks

    @property
    def whole(self) -> tuple[int, int] | None:
        """The first and the last moment of the session; None = no picture yet."""
        picture = self._picture
        return None if picture is None else (picture.first, picture.now)

    # -- what the timeline passes

    def set_picture(self, picture: TimelinePicture) -> None:
        """Take a new picture, and put the marker that waits for it."""
        self._picture = picture
        if self._due is not None:
            due, self._due = self._due, None
            self.put(due)

    def set_width(self, width_px: int) -> None:
        """Set the width of the timeline."""
        self._width_px = width_px

    def hover(self, time: float | None) -> None:
        """Note the moment under the pointer; None = the pointer has left."""
        self._hovered = time

    # -- the user's choices

    def choose_mode(self, mode: TimelineMode) -> None:
        """Choose now, growth, or a span; markers without a place get one."""
        picture = self._picture
        first, last = (picture.left, picture.right) if picture is not None else (0.0, 1.0)
        now = picture.now if picture is not None else last
        quarter = (min(now, last) - first) * _QUARTER
        marks = replace(self._marks, mode=mode, is_replay=False)
        if mode == "growth" and not self._has_a:
            self._has_a = True
            marks = replace(marks, a=first + quarter)
        if mode == "span" and marks.span[1] <= marks.span[0]:
            marks = replace(marks, span=(first + quarter, first + 3 * quarter))
        self._set(marks)
        self._settle()

    def move(self, marker: Marker, time: float) -> None:
        """Move a marker that is being dragged."""
        self._last_moved = marker
        self._has_a = True
        time = self._limit(time)
        if marker == "a":
            self._set(replace(self._marks, mode="growth", a=time))
        else:
            self._set(replace(self._marks, mode="growth", b=time))

    def drop(self) -> None:
        """Move the markers to the nearest known moments: the mouse button was released."""
        self._settle()

    def put(self, marker: Marker) -> None:
        """Put a marker at the pointer. Without a pointer ``a`` is put at the last moment of the
        picture, and ``b`` stands for the latest moment."""
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
        self.move(marker, picture.now if self._hovered is None else self._hovered)
        self._settle()

    def step(self, n_px: int) -> None:
        """Move the marker that was moved last by ``n_px`` pixels (below 0: earlier)."""
        picture, marks = self._picture, self._marks
        if picture is None or marks.mode != "growth":
            return
        at = marks.a if self._last_moved == "a" else marks.b
        px = (picture.right - picture.left) / max(self._width_px, 1)
        self.move(self._last_moved, (picture.now if at is None else at) + n_px * px)
        self._settle()

    def choose_span(self, begin: float, end: float) -> None:
        """Choose the span that the user drew."""
        span = (self._limit(min(begin, end)), self._limit(max(begin, end)))
        self._set(replace(self._marks, mode="span", span=span, is_replay=False))

    def choose_growth(self, a: float, b: float | None) -> None:
        """Set both markers; ``b`` is None for the latest moment."""
        self._has_a = True
        self._set(replace(self._marks, mode="growth", a=a, b=b, is_replay=False))
        self._settle()

    def replay(self, begin: float, end: float) -> None:
        """Set the span of a replay."""
        self._set(replace(self._marks, mode="span", span=(begin, end), is_replay=True))

    def _limit(self, time: float) -> float:
        picture = self._picture
        return time if picture is None else min(max(time, picture.first), picture.now)

    def _set(self, marks: TimelineMarks) -> None:
        before, self._marks = self._marks, marks
        self.changed.emit(marks)
        if marks.window != before.window:
            self.window_changed.emit(marks.window)

    def _settle(self) -> None:
        """Move markers to known moments. The worker looks them up: the profile may be busy."""
        marks, live = self._marks, self._live
        if marks.mode != "growth":
            return

        def compute() -> TimelineMarks:
            b = None if marks.b is None else float(live.heap.snap(marks.b))
            return replace(marks, a=float(live.heap.snap(marks.a)), b=b)

        def on_done(settled: TimelineMarks) -> None:
            if self._marks == marks:  # no marker has moved since
                self._set(settled)

        self._worker.submit("settle", compute, on_done)
