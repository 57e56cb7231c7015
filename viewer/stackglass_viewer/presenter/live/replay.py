"""Replay of a session: the timeline's span moves on by a clock, and every view follows it.

::

    clock ─▶ Replay ── replay ─▶ TimelineMarkers ── window_changed ─▶ views
                ▲                       │
                └────── changed ────────┘  the replay goes on from a span that the user draws

The span is as long as the one that the user drew. Without one it is as long as the views showed
live: the last ten seconds, the last minute, or all since the start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass.clock import Clock
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers, TimelineMarks

SPEEDS = (1, 4, 16)
_TICK_MS = 100


@dataclass(frozen=True, slots=True)
class ReplayState:
    """What the controls of a replay show."""

    is_playing: bool = False
    speed: int = SPEEDS[0]


class Replay(QObject):
    """Moves the span by a timer. GUI thread. Times are units of 10 ms since the session's start."""

    changed = Signal(object)  # ReplayState

    def __init__(
        self,
        markers: TimelineMarkers,
        clock: Clock,
        is_busy: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """``is_busy``: whether views still build the last span; the next one waits for them."""
        super().__init__(parent)
        self._markers = markers
        self._clock = clock
        self._is_busy = is_busy
        self._state = ReplayState()
        self._chosen: int | None = None  # length of the span that the views show live; None = all
        self._length: int | None = None  # of the moving span; None = all since the start
        self._from: float | None = None  # the span's end at ``_from_ns``; None = the start
        self._from_ns = 0  # monotonic clock
        self._is_moving = False  # whether this replay is changing the markers
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.tick)
        markers.changed.connect(self._on_marks)

    @property
    def state(self) -> ReplayState:
        return self._state

    # -- the controls

    def toggle(self) -> None:
        """Play, or pause at the current span."""
        if self._state.is_playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Play from the shown span; from the start if there is none, or if it is at the end."""
        marks = self._markers.marks
        whole = self._markers.whole
        if marks.mode == "span":
            self._take(marks)
        else:
            self._length, self._from = self._chosen, None
        if self._from is not None and whole is not None and self._from >= whole[1]:
            self._from = None
        self._from_ns = self._clock.mono_ns()
        self._timer.start()
        self._set(replace(self._state, is_playing=True))

    def pause(self) -> None:
        """Stop at the current span."""
        self._timer.stop()
        self._set(replace(self._state, is_playing=False))

    def choose_speed(self, speed: int) -> None:
        """Set the speed, in seconds of the session per second: one of SPEEDS."""
        assert speed in SPEEDS, speed
        if self._from is not None:
            self._from += self._measure()
        self._from_ns = self._clock.mono_ns()
        self._set(replace(self._state, speed=speed))

    def step_speed(self) -> None:
        """Choose the next speed; the first follows the fastest."""
        self.choose_speed(SPEEDS[(SPEEDS.index(self._state.speed) + 1) % len(SPEEDS)])

    def choose_length(self, span_ns: int | None) -> None:
        """Set what the views show live: the last ``span_ns``; None = all since the start."""
        self._chosen = None if span_ns is None else span_ns // UNIT_NS
        self._length = self._chosen

    # -- the clock

    def tick(self) -> None:
        """Move the span to where it is by now. The timer calls this method."""
        whole = self._markers.whole
        if whole is None:  # no timeline is drawn yet
            self._from_ns = self._clock.mono_ns()
            return
        if self._is_busy():
            return
        first, last = whole
        if self._from is None:
            self._from = first
        end = min(self._from + self._measure(), last)
        begin = first if self._length is None else max(end - self._length, first)
        self._is_moving = True
        self._markers.replay(begin, end)
        self._is_moving = False
        if end >= last:
            self.pause()

    def _measure(self) -> float:
        """Return how far the span has moved since ``_from_ns``, in units."""
        return (self._clock.mono_ns() - self._from_ns) / UNIT_NS * self._state.speed

    # -- the markers

    def _on_marks(self, marks: TimelineMarks) -> None:
        if self._is_moving or not self._state.is_playing:
            return
        if marks.mode != "span":
            self.pause()
            return
        self._take(marks)
        self._from_ns = self._clock.mono_ns()

    def _take(self, marks: TimelineMarks) -> None:
        """Go on from the span of ``marks``. A span that the user drew keeps its length."""
        begin, self._from = marks.span
        if not marks.is_replay:
            self._length = round(self._from - begin)

    def _set(self, state: ReplayState) -> None:
        if state != self._state:
            self._state = state
            self.changed.emit(state)
