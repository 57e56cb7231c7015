"""Content of a file, read part by part: a part is in memory only while it is in use.

The file is not mapped: if another program truncates a mapped file, the next access ends the process
with SIGBUS. ``pread`` fails with an OSError instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, overload

from stackglass_viewer.model.errors import ContentError

_WINDOW_BYTES = 1 << 16


class FileParts:
    """A file as a sequence of bytes, with the length that it had when it was opened. Any thread may
    read slices; only one may read single bytes. Both raise OSError if the file became shorter."""

    def __init__(self, file: BinaryIO) -> None:
        self._fd = -1  # for `__del__`, if `dup` fails
        self._fd = os.dup(file.fileno())
        self._n_bytes = os.fstat(self._fd).st_size
        self._window, self._window_at = b"", 0

    def __len__(self) -> int:
        return self._n_bytes

    @overload
    def __getitem__(self, where: int) -> int: ...
    @overload
    def __getitem__(self, where: slice) -> memoryview: ...
    def __getitem__(self, where: int | slice) -> int | memoryview:
        if isinstance(where, slice):
            begin, end, _ = where.indices(self._n_bytes)
            return memoryview(self._read(begin, max(end - begin, 0)))
        if not 0 <= where < self._n_bytes:
            raise IndexError
        if not 0 <= where - self._window_at < len(self._window):
            self._window = self._read(where, min(_WINDOW_BYTES, self._n_bytes - where))
            self._window_at = where
        return self._window[where - self._window_at]

    def release(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __del__(self) -> None:
        self.release()

    def _read(self, begin: int, n_bytes: int) -> bytes:
        content = os.pread(self._fd, n_bytes, begin)
        if len(content) != n_bytes:
            raise OSError("another program cut it off")
        return content


Parts = memoryview | FileParts
"""A file, or its whole content."""


@contextmanager
def open_parts(path: str | os.PathLike[str]) -> Iterator[FileParts]:
    """Open a file for the length of the block. Raises ContentError if it cannot be read, and adds
    the file's name to a ContentError of the block. Any thread."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            content = FileParts(file)
        try:
            yield content
        finally:
            content.release()
    except MemoryError:
        raise ContentError(f"cannot open {name}: there is not enough memory to read it") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ContentError(f"cannot open {name}: {reason.lower()}") from error
    except ContentError as error:
        raise ContentError(f"cannot open {name}: {error.message}", error.remedy) from error
