"""Passes on to a child the signals that are sent to the recorder.

A terminal's Ctrl+C goes to everyone in the foreground, the child included: passing it on would
make two of it. So only what a process sent is passed on, and that is known from the signal's
origin, which a Python handler does not get to see: the signals are blocked and a thread waits
for them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

PASSED_ON = frozenset(
    (
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGALRM,
    )
)
_LOOK_S = 0.1


@contextlib.contextmanager
def block() -> Iterator[set[signal.Signals]]:
    """Keep the signals waiting inside; gives the mask of before, which a child is to have."""
    before = {signal.Signals(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)}
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Relay:
    """Passes signals on to process ``pid`` from start to stop. They must be blocked."""

    __slots__ = ("_is_stopped", "_pid", "_thread")

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="signals", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """No signal is passed on after this; call it before the child is waited for."""
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_stopped.is_set():
            came = signal.sigtimedwait(PASSED_ON, _LOOK_S)
            if came is not None and came.si_code <= 0:  # SI_USER, SI_QUEUE, SI_TKILL: a process
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, came.si_signo)
