"""Cursor of a memory trace: the moment that is shown, moved by hand or by playing the trace."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.units import format_count

_TICK_MS = 40
_AIM_S = 10.0  # the whole trace takes about this long at the first speed
SPEEDS = tuple(10.0**power for power in range(-6, 4))
"""Seconds of the trace per second, slowest first."""


class Cursor(QObject):
    """The shown moment, which a timer moves on while the trace plays. GUI thread. Times are ns on
    the session's clock."""

    moved = Signal(object)  # ns, an int of 64 bits
    playing_changed = Signal(bool)

    def __init__(
        self,
        span_ns: tuple[int, int],
        parent: QObject | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """``span_ns``: first and last moment of the trace. ``clock`` returns seconds."""
        super().__init__(parent)
        self._first_ns, self._last_ns = span_ns
        self._clock = clock
        self._time_ns = self._first_ns
        self.speed = suggest_speed(self._last_ns - self._first_ns)
        self._played_s = 0.0  # the clock at the last tick
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.tick)

    @property
    def time_ns(self) -> int:
        return self._time_ns

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def move(self, time_ns: int) -> None:
        """Move to a time, limited to the trace."""
        time_ns = min(max(time_ns, self._first_ns), self._last_ns)
        if time_ns != self._time_ns:
            self._time_ns = time_ns
            self.moved.emit(time_ns)

    def set_speed(self, speed: float) -> None:
        """Set the speed, one of ``SPEEDS``."""
        self.speed = speed

    def play(self, is_playing: bool) -> None:
        """Start or stop playing; at the end of the trace, start from its beginning."""
        if is_playing == self.is_playing:
            return
        if is_playing:
            if self._time_ns >= self._last_ns:
                self.move(self._first_ns)
            self._played_s = self._clock()
            self._timer.start()
        else:
            self._timer.stop()
        self.playing_changed.emit(is_playing)

    def tick(self) -> None:
        """Move on by the time that has passed since the last tick. The timer calls this method."""
        now_s = self._clock()
        passed_s, self._played_s = now_s - self._played_s, now_s
        self.move(self._time_ns + max(round(passed_s * self.speed * 1e9), 1))
        if self._time_ns >= self._last_ns:
            self.play(False)


def suggest_speed(span_ns: int) -> float:
    """Return the speed that plays a span in about ten seconds."""
    wanted = span_ns / 1e9 / _AIM_S
    return min(SPEEDS, key=lambda speed: abs(speed - wanted) / (speed + wanted or 1))


def name_speed(speed: float) -> str:
    """Return a speed in words: ``1×``, ``1/100×``."""
    number = format_count(round(max(speed, 1 / speed)))
    return f"{number}×" if speed >= 1 else f"1/{number}×"
