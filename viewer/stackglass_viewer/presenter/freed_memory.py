"""Freed memory is given back to the system: large blocks at once, the rest now and then.

The C library keeps what is freed for what is allocated next. Views of a long session take and free
arrays of tens of MiB, from several threads: what lies before a block that is still in use stays
with the process, half as much again as it needs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 60_000
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # parameters of glibc's mallopt
_LARGE_BYTES = 1 << 20
_N_ARENAS = 2


def limit_heap() -> None:
    """Have large blocks mapped one by one, and few heaps for the threads. As it is, glibc takes
    blocks of up to 32 MiB from its heaps, as soon as one as large has been freed."""
    import ctypes  # for start-up time: it is needed with the first tab

    library = ctypes.CDLL(None)
    if hasattr(library, "gnu_get_libc_version"):
        library.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        library.mallopt(_ARENA_MAX, _N_ARENAS)


def trim_heap() -> None:
    """Some milliseconds, without the GIL. Any thread."""
    import ctypes  # for start-up time: it is needed a minute later

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # only glibc keeps so much, and has this
        trim(0)


class FreedMemory(QObject):
    """GUI thread; what it does is done in another, while the window is used."""

    def __init__(
        self,
        parent: QObject | None = None,
        give_back: Callable[[], None] = trim_heap,
        limit: Callable[[], None] = limit_heap,
    ) -> None:
        super().__init__(parent)
        self._limit = limit
        self._give_back = give_back
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.give_back)

    def start(self) -> None:
        self._limit()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def give_back(self) -> None:
        """Now; it does not wait."""
        threading.Thread(target=self._give_back, name="freed memory", daemon=True).start()
