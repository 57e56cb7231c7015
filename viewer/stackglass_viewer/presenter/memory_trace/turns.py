"""Turns at a trace: a question of the user's interrupts an exact drawing, which may take long.

One replay of a trace is in use at a time, and an exact map holds it from its first event to its
last. So whoever asks for something else says so, and the drawing gives up and begins again later.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_asking = 0  # guarded by _lock

    @contextmanager
    def ask(self) -> Iterator[None]:
        """Around a question: a drawing gives way meanwhile."""
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
