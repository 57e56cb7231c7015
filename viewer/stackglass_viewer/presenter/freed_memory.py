"""Return of freed memory to the system: large blocks when they are freed, the rest once a minute.

The C library keeps freed memory for later allocations. Views of a long session allocate and free
arrays of tens of MiB from several threads. Free memory that lies below a block in use stays with
the process, which then takes half as much again as it needs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 60_000
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # M_MMAP_THRESHOLD, M_ARENA_MAX of glibc's mallopt
_LARGE_BYTES = 128 << 10  # where glibc begins
_N_ARENAS = 2


def limit_heap() -> None:
    """Make glibc map each large block by itself, and use at most ``_N_ARENAS`` heaps for threads.

    By default glibc raises its threshold from ``_LARGE_BYTES`` to the size of the largest mapped
    block that was freed: blocks of up to 32 MiB then come from its heaps.
    """
    import ctypes  # for start-up time: it is needed with the first tab

    library = ctypes.CDLL(None)
    if hasattr(library, "gnu_get_libc_version"):
        library.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        library.mallopt(_ARENA_MAX, _N_ARENAS)


def trim_heap() -> None:
    """Return free memory of the C heap to the system. Any thread may call this function: it takes
    some milliseconds and releases the GIL."""
    import ctypes  # for start-up time: it is needed a minute later

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # only glibc has this function, and only glibc keeps so much
        trim(0)


class FreedMemory(QObject):
    """Trims the heap every minute, in a thread of its own. Methods are called on the GUI thread."""

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
        """Trim the heap now, in a thread of its own; returns at once."""
        threading.Thread(target=self._give_back, name="freed memory", daemon=True).start()
