"""Pace of a live tab's refreshes: after a build that took long, the next one waits longer.

::

    build 20 ms ─▶ rest 180 ms: less than the timer waits anyway
    build 90 ms ─▶ rest 810 ms
"""

from __future__ import annotations

from stackglass.clock import Clock

_REST = 9  # times as long as the build took: a tenth of a processor at most


class RefreshPace:
    """For one thread. What the user does is shown at once and is not asked here."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due_ns = 0  # when the next refresh may begin

    @property
    def is_due(self) -> bool:
        """Whether a refresh may begin now."""
        return self._clock.mono_ns() >= self._due_ns

    def rest(self, cpu_s: float) -> None:
        """A build has ended that took so much of the processor."""
        self._due_ns = self._clock.mono_ns() + round(cpu_s * _REST * 1e9)

    def hurry(self) -> None:
        """The next one may begin now."""
        self._due_ns = 0
