"""Pace of a live tab's refreshes: after a build that took long, the next one waits longer.

::

    build 20 ms ─▶ rest 180 ms: shorter than the timer's interval
    build 90 ms ─▶ rest 810 ms
"""

from __future__ import annotations

from stackglass.clock import Clock

_REST = 9  # rest per CPU time of a build: builds take at most a tenth of a processor


class RefreshPace:
    """Decides when a refresh may begin; builds for the user's choices need not wait. One thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due_ns = 0  # when the next refresh may begin

    @property
    def is_due(self) -> bool:
        """Whether a refresh may begin now."""
        return self._clock.mono_ns() >= self._due_ns

    def rest(self, cpu_s: float) -> None:
        """Rest after a build that took ``cpu_s`` of CPU time."""
        self._due_ns = self._clock.mono_ns() + round(cpu_s * _REST * 1e9)

    def hurry(self) -> None:
        """Let the next refresh begin now."""
        self._due_ns = 0
