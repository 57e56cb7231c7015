"""A file that is read piece by piece. It is not mapped, because a mapped file that shrinks would
end the reader with SIGBUS."""

from __future__ import annotations

import os
import stat


class OpenFile:
    """A regular file, open until it is collected."""

    __slots__ = ("_fd",)

    def __init__(self, path: str) -> None:
        """Raises OSError, even if ``path`` exists but is no regular file."""
        self._fd = -1
        if "\0" in path:  # os.open would raise ValueError
            raise FileNotFoundError(f"no path contains NUL: {path!r}")
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(self._fd).st_mode):
            raise OSError(f"{path} is not a regular file")

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def read(self, offset: int, size: int) -> bytes:
        """Return as many bytes as there are, at most ``size``, up to where reading fails."""
        parts = []
        while size > 0:
            try:
                part = os.pread(self._fd, size, offset)
            except (OSError, OverflowError):
                break  # no file has this offset, or the file is gone: as if it ended here
            if not part:
                break
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return b"".join(parts)
