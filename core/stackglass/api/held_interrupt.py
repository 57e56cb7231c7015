"""Ctrl+C while a program's last files are written: once does nothing, for the program ends already;
the second time it interrupts. Users press it twice."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


class HeldInterrupt:
    """A context manager. Outside the main thread, and where the program handles SIGINT itself, it
    does nothing."""

    __slots__ = ("_is_held", "_n_came")

    def __enter__(self) -> None:
        self._n_came = 0
        self._is_held = False
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
        self._n_came += 1
        if self._n_came > 1:
            raise KeyboardInterrupt
