"""Ctrl+C while a program's last files are written: the first one is ignored, because users often
press it twice to end a program; the second one interrupts."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


class HeldInterrupt:
    """Context manager that ignores the first Ctrl+C. Does nothing outside the main thread, or if
    the program handles SIGINT itself."""

    __slots__ = ("_is_held", "_n_interrupts", "is_entered")

    def __init__(self, n_interrupts: int = 0) -> None:
        """``n_interrupts``: how often Ctrl+C has come already."""
        self._n_interrupts = n_interrupts
        self._is_held = False
        self.is_entered = False  # before that, Ctrl+C interrupts as it always does

    def __enter__(self) -> None:
        self._hold()
        self.is_entered = True

    def _hold(self) -> None:
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        try:
            signal.signal(signal.SIGINT, self._on_interrupt)
            self._is_held = True
        except ValueError:  # only the main thread may
            return

    def __exit__(self, *_: object) -> None:
        if self._is_held:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _on_interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._n_interrupts += 1
        if self._n_interrupts > 1:
            raise KeyboardInterrupt
