"""Early signals: requests that arrive before the recorder has installed its handlers. They stay
pending, because their default action would end the recorder."""

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
    """Block the requests until ``release``. A request that is still pending at the end of the with
    block is dropped."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, REQUESTS)
    _held.update(REQUESTS - before)
    try:
        yield
    finally:
        while _held and signal.sigtimedwait(_held, 0) is not None:
            pass
        release()


def release() -> None:
    """Unblock the requests: those that are pending are delivered now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, take())


def take() -> set[signal.Signals]:
    """The signals that are held. They stay blocked until the caller unblocks them."""
    held = set(_held)
    _held.clear()
    return held
