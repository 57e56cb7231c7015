"""The memory of another process, through ``/proc/PID/mem``."""

from __future__ import annotations

import os
import struct

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc


class TargetMemory:
    """An open view of a process's memory, a context manager.

    Raises PermissionError when opened without the right to trace the process, NoSuchProcessError
    when it has ended. Addresses that are not mapped read as fewer bytes, never as an error.
    """

    __slots__ = ("_fd",)

    def __init__(self, pid: int, *, is_writable: bool = False, proc: Proc = PROC) -> None:
        flags = os.O_RDWR if is_writable else os.O_RDONLY
        try:
            self._fd = os.open(proc.path(pid, "mem"), flags | os.O_CLOEXEC)
        except (ProcessLookupError, FileNotFoundError) as error:
            # A process without memory is ending, even if its state does not show it yet.
            if isinstance(error, FileNotFoundError) and not proc.has_ended(pid):
                raise
            raise NoSuchProcessError(f"process {pid} has ended") from error

    def __enter__(self) -> TargetMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the view; to be called once."""
        os.close(self._fd)

    def read(self, address: int, size: int) -> bytes:
        """As many bytes as are mapped there, at most ``size``."""
        try:
            return os.pread(self._fd, size, address)
        except (OSError, OverflowError):
            return b""  # EIO: nothing is mapped there; or the process has ended

    def write(self, address: int, data: bytes) -> bool:
        """Write ``data``; returns whether all of it was written."""
        try:
            return os.pwrite(self._fd, data, address) == len(data)
        except (OSError, OverflowError):
            return False

    def read_u64(self, address: int) -> int:
        """A pointer; 0 if nothing is mapped there."""
        data = self.read(address, 8)
        return int(struct.unpack("<Q", data)[0]) if len(data) == 8 else 0

    def read_i32(self, address: int) -> int | None:
        """A C int; None if nothing is mapped there."""
        data = self.read(address, 4)
        return int(struct.unpack("<i", data)[0]) if len(data) == 4 else None
