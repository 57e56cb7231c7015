"""Turns at a trace: questions interrupt an exact drawing, which may take long.

A trace has one replay, which one thread uses at a time. An exact map holds it from the first event
to the last. So a thread with a question announces it with ``ask``; the drawing polls ``is_wanted``,
gives up and begins again later.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Counts the threads that ask. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_asking = 0  # guarded by _lock

    @contextmanager
    def ask(self) -> Iterator[None]:
        """Announce a question for the time of the ``with`` block: a drawing gives way."""
        with self._lock:
            self._n_asking += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_asking -= 1

    @property
    def is_wanted(self) -> bool:
        """Whether a drawing is to give way."""
        with self._lock:
            return self._n_asking > 0
