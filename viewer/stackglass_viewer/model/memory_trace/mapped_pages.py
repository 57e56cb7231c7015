"""Mapped pages: limits how much of a mapped file is resident while it is read.

Dropped pages stay in the system's cache, so that reading them again is cheap.
"""

from __future__ import annotations

import mmap

MOST_RESIDENT_BYTES = 64 << 20
"""Bytes of a file that may be read before its pages are dropped."""


class MappedPages:
    """The pages of one file. Any thread: a race at worst drops the pages once more."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self._mapped = mapped
        self._n_bytes = 0

    def count(self, n_bytes: int) -> None:
        """Count bytes before they are read, and drop all pages if too many have been read."""
        self._n_bytes += n_bytes
        if self._n_bytes > MOST_RESIDENT_BYTES:
            self._n_bytes = n_bytes
            self._mapped.madvise(mmap.MADV_DONTNEED)
