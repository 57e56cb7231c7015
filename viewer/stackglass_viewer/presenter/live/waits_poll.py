"""Poll of the waiting threads: every second while a list that changes is shown, else every 3 or 30
seconds.

The slow polls go on in a tab that is not in front: a deadlock is noticed in every view, and a
saved session knows which threads waited at which time.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

_SHOWN_MS = 1000
_HIDDEN_MS = 3000
_BUSY_TICKS = 10  # ticks of _HIDDEN_MS between two requests to a process that uses the CPU


class WaitsPoll(QObject):
    """Emits ``due`` when the waiting threads are to be requested. GUI thread."""

    due = Signal()  # request the waiting threads

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_wanted = self._is_running = self._is_idle = False
        self._is_front = True
        self._is_held = False
        self._n_ticks = 0  # since the last request, while the threads are not shown
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.tick)

    @property
    def is_shown(self) -> bool:
        """Whether the waiting threads can be seen."""
        return self._is_wanted and self._is_front

    @property
    def _is_soon(self) -> bool:
        """Whether the next answer is to be listed at once."""
        return self.is_shown and not self._is_held

    def show(self, is_wanted: bool) -> None:
        """Poll at once and then every second; or slowly."""
        self._settle(is_wanted, self._is_front)

    def set_front(self, is_front: bool) -> None:
        """Note whether the tab of the waiting threads is in front."""
        self._settle(self._is_wanted, is_front)

    def _settle(self, is_wanted: bool, is_front: bool) -> None:
        was_shown = self.is_shown
        self._is_wanted, self._is_front = is_wanted, is_front
        if self.is_shown == was_shown:
            return
        self._n_ticks = 0
        self._restart()
        if self.is_shown:
            self.due.emit()

    def hold(self, is_held: bool) -> None:
        """Note whether the list stays as it is: then it is polled like a hidden one."""
        if is_held != self._is_held:
            self._is_held = is_held
            self._restart()

    def follow(self, *, is_running: bool, is_idle: bool) -> None:
        """Follow the process. ``is_running``: the engine answers. ``is_idle``: no thread uses the
        CPU."""
        self._is_idle = is_idle
        if is_running != self._is_running:
            self._is_running = is_running
            self._n_ticks = _BUSY_TICKS  # the first tick requests: threads may hang already
            self._restart()

    def stop(self) -> None:
        """Stop the timer."""
        self._timer.stop()

    def tick(self) -> None:
        """Emit ``due`` if it is time. The timer calls this method."""
        self._n_ticks += 1
        if self._is_soon or self._is_idle or self._n_ticks >= _BUSY_TICKS:
            self._n_ticks = 0
            self.due.emit()

    def _restart(self) -> None:
        if self.is_shown or self._is_running:
            self._timer.start(_SHOWN_MS if self._is_soon else _HIDDEN_MS)
        else:
            self._timer.stop()
