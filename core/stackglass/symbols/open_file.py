"""A file that is read piece by piece. Not mapped: a file that shrinks meanwhile would end the
reader."""

from __future__ import annotations

import os
import stat


class OpenFile:
    """A regular file, open until it is collected."""

    __slots__ = ("_fd",)

    def __init__(self, path: str) -> None:
        """Raises OSError, also for what is not a regular file."""
        self._fd = -1
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(self._fd).st_mode):
            raise OSError(f"{path} is not a regular file")

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def read(self, offset: int, size: int) -> bytes:
        """As many bytes as there are, at most ``size``; none where reading fails."""
        parts = []
        while size > 0:
            try:
                part = os.pread(self._fd, size, offset)
            except (OSError, OverflowError):
                break  # an offset that no file has, or a file that is gone: it is too short
            if not part:
                break
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return b"".join(parts)
