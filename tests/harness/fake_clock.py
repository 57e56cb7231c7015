"""A clock that tests set."""

from __future__ import annotations

from stackglass.clock import Clock


class FakeClock(Clock):
    """A clock that moves only by ``advance`` and ``sleep``."""

    __slots__ = ("_mono_ns", "_unix_ns")

    def __init__(self, mono_ns: int = 0, unix_ns: int = 0) -> None:
        self._mono_ns = mono_ns
        self._unix_ns = unix_ns

    def mono_ns(self) -> int:
        return self._mono_ns

    def unix_ns(self) -> int:
        return self._unix_ns

    def sleep(self, duration_ns: int) -> None:
        self.advance(max(duration_ns, 0))

    def advance(self, duration_ns: int) -> None:
        """Move both clocks forward."""
        self._mono_ns += duration_ns
        self._unix_ns += duration_ns
