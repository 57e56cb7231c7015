"""Early signals: requests that come before a recorder has its handlers. They stay pending, because
their default action would end it."""

from __future__ import annotations

import contextlib
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

REQUESTS = frozenset((signal.SIGUSR1, signal.SIGUSR2))

_held: set[signal.Signals] = set()
"""Blocked by ``hold`` and not yet released. For the main thread."""


@contextlib.contextmanager
def hold() -> Iterator[None]:
    """Block the requests until ``release``. Those still pending at the end of the block, which no
    one will serve, are dropped."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, REQUESTS)
    _held.update(REQUESTS - before)
    try:
        yield
    finally:
        while _held and signal.sigtimedwait(_held, 0) is not None:
            pass
        release()


def release() -> None:
    """Deliver what came, and from now on what comes."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, take())


def take() -> set[signal.Signals]:
    """The signals that are held. They stay blocked, and are the caller's to unblock."""
    held = set(_held)
    _held.clear()
    return held
