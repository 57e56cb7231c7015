"""Clock: the system's clocks as a value, so that tests can pass their own."""

from __future__ import annotations

import time


class Clock:
    """The system's clocks. Thread-safe: it has no state."""

    __slots__ = ()

    def mono_ns(self) -> int:
        """Nanoseconds of CLOCK_MONOTONIC; comparable with the engine's on the same machine."""
        return time.monotonic_ns()

    def unix_ns(self) -> int:
        """Nanoseconds since 1970, wall clock."""
        return time.time_ns()

    def sleep(self, duration_ns: int) -> None:
        """Wait; not at all if the duration is negative."""
        if duration_ns > 0:
            time.sleep(duration_ns / 1e9)


SYSTEM_CLOCK = Clock()
