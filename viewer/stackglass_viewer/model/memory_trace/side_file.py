"""Side file: a file on disk for columns that are computed while a trace is opened, to save memory.

The file has no name, so the system deletes it however the process ends.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.mapped_pages import MappedPages

_Item = TypeVar("_Item", bound=np.generic)


class Extent(NamedTuple):
    """A column in the side file."""

    offset: int
    n_bytes: int


class SideFile:
    """A file of columns. One thread appends until ``finish``; after that any thread may read."""

    def __init__(self, folder: Path | None = None) -> None:
        """``folder``: where the file is; None = the user's cache. Raises ContentError."""
        try:
            self._file = _open(folder)
        except OSError as error:
            raise _refuse(error) from None
        self._map: mmap.mmap | None = None
        self.n_bytes = 0

    def append(self, content: bytes | memoryview | npt.NDArray[Any]) -> Extent:
        """Append a column. Raises ContentError if it cannot be written."""
        if isinstance(content, np.ndarray):
            content = content.tobytes()
        view = memoryview(content).cast("B") if len(content) else memoryview(b"")
        extent = Extent(self.n_bytes, len(view))
        self._write(view, extent.offset)
        self.n_bytes += -(-len(view) // 8) * 8  # so that the next column is aligned
        return extent

    def _write(self, content: bytes | memoryview, offset: int) -> None:
        written = 0
        try:
            while written < len(content):
                piece = memoryview(content)[written:]
                written += os.pwrite(self._file.fileno(), piece, offset + written)
        except OSError as error:
            raise _refuse(error) from None

    def gather(self, extents: list[Extent]) -> Extent:
        """Append copies of columns as one contiguous column. Raises ContentError."""
        begin = self.n_bytes
        for extent in extents:
            content = os.pread(self._file.fileno(), extent.n_bytes, extent.offset)
            self._write(content, self.n_bytes)
            self.n_bytes += len(content)
        total = self.n_bytes - begin
        self.n_bytes += -total % 8
        return Extent(begin, total)

    def finish(self) -> None:
        """End writing, and map the file for reading."""
        if self.n_bytes:
            os.truncate(self._file.fileno(), self.n_bytes)
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            self._pages = MappedPages(self._map)
        self._file.close()  # the mapping keeps it

    def read(self, extent: Extent, dtype: type[_Item]) -> npt.NDArray[_Item]:
        """Return a column as a view of the mapped file."""
        if not extent.n_bytes or self._map is None:
            return np.empty(0, dtype=dtype)
        n = extent.n_bytes // np.dtype(dtype).itemsize
        self._pages.count(extent.n_bytes)
        return np.frombuffer(self._map, dtype=dtype, count=n, offset=extent.offset)

    def close(self) -> None:
        """Release the file. Its disk space is freed when the last column is released."""
        self._map = None  # columns that are in use keep it
        self._file.close()


def _open(folder: Path | None) -> tempfile._TemporaryFileWrapper[bytes]:
    if folder is None:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(cache) / "stackglass"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=folder)  # type: ignore[return-value]
    except OSError:  # a home that cannot be written to
        return tempfile.TemporaryFile()  # type: ignore[return-value]


def _refuse(error: OSError) -> ContentError:
    reason = (error.strerror or str(error)).lower()
    return ContentError(
        f"a trace needs a file for its checkpoints, which cannot be written: {reason}",
        "set XDG_CACHE_HOME to a folder with more room",
    )
