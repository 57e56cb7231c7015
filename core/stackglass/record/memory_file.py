"""Memory file: the session file of a memory trace, written while the trace is recorded."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from stackglass.errors import OutputError
from stackglass.wire.messages import MemoryEvents, MemoryInfo
from stackglass.wire.profile_file import STANDARD_OUTPUT
from stackglass.wire.session_file import SessionFileWriter

if TYPE_CHECKING:
    from stackglass.wire.messages import Message


class MemoryFile:
    """The session file of one process. For one thread; a context manager that closes the file.

    The file is created, or replaced, when the trace begins. Every method raises OutputError, after
    which nothing more is written and the file ends with its last whole chunk.
    """

    __slots__ = ("_early", "_file", "_path", "_writer", "is_whole")

    def __init__(self, path: str) -> None:
        self._path = path
        self._early: list[bytes] = []  # messages from before the trace has begun
        self._file: BinaryIO | None = None
        self._writer: SessionFileWriter | None = None
        self.is_whole = False
        """Whether the file has its index and trailer."""

    def __enter__(self) -> MemoryFile:
        return self

    def __exit__(self, *_: object) -> None:
        file, self._file, self._writer = self._file, None, None
        if file is not None and self._path != STANDARD_OUTPUT:
            with contextlib.suppress(OSError):
                file.close()

    @property
    def n_bytes(self) -> int:
        """Bytes written so far."""
        return self._writer.n_bytes if self._writer is not None else 0

    def add(self, frame: bytes, message: Message | None) -> None:
        """Add a message, as received and as decoded."""
        has_begun = isinstance(message, MemoryInfo) and not message.problem
        if has_begun and self._file is None:
            self._begin()
        if self._writer is None:
            if self._file is None:  # else writing has failed, and the message is dropped
                self._early.append(frame)
            return
        with self._guard():
            if isinstance(message, MemoryEvents):
                self._writer.add_events(message)
            else:
                self._writer.add_message(frame)

    def flush(self) -> None:
        """Hand all bytes over to the system, so that they survive the recorder."""
        if self._writer is not None and self._file is not None:
            with self._guard():
                self._writer.flush()
                self._file.flush()

    def finish(self, is_killed: bool = False) -> None:
        """Write the index: the trace has ended, or no more of it will come. ``is_killed`` makes no
        difference to a file."""
        if self._writer is None or self._file is None:
            return
        with self._guard():
            self._writer.finish()
            self._file.flush()
            if stat.S_ISREG(
                os.fstat(self._file.fileno()).st_mode
            ):  # a device or a pipe has no disk
                os.fsync(self._file.fileno())
            self.is_whole = True

    def _begin(self) -> None:
        with self._guard():
            if self._path == STANDARD_OUTPUT:
                if sys.stdout is None:
                    raise OSError(errno.EBADF, "standard output is closed")
                self._file = sys.stdout.buffer
            else:
                self._file = cast(BinaryIO, io.FileIO(self._path, "wb"))
            self._writer = SessionFileWriter(self._file)
            for frame in self._early:
                self._writer.add_message(frame)
            self._early.clear()

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        """Raise an OSError of the block as OutputError, and cut the file to what it had before."""
        whole_bytes = self.n_bytes
        try:
            yield
        except OSError as error:
            self._cut(whole_bytes)
            raise OutputError(f"cannot write {self._path}: {error.strerror or error}") from error

    def _cut(self, n_bytes: int) -> None:
        """Cut the file to its whole chunks, and end the writing."""
        file, self._writer = self._file, None
        if file is None or self._path == STANDARD_OUTPUT:
            return
        with contextlib.suppress(OSError):
            os.ftruncate(file.fileno(), n_bytes)
