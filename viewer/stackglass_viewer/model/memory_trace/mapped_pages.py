"""Mapped pages: what of a mapped file is resident is kept small while it is read.

What was read stays in the system's cache, and is there when it is read again.
"""

from __future__ import annotations

import mmap

MOST_RESIDENT_BYTES = 64 << 20
"""Read of a file before its pages are dropped."""


class MappedPages:
    """Of one file. Any thread: at worst pages are dropped once more."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self._mapped = mapped
        self._n_bytes = 0

    def count(self, n_bytes: int) -> None:
        """Before something is read."""
        self._n_bytes += n_bytes
        if self._n_bytes > MOST_RESIDENT_BYTES:
            self._n_bytes = n_bytes
            self._mapped.madvise(mmap.MADV_DONTNEED)
