"""Perf map: names that a JIT writes for the code that it makes, in ``/tmp/perf-PID.map``.

A line has start and size in hexadecimal, and the name. The file grows. A JIT reuses memory, so
lines overlap: the last line that contains an address counts.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

_FOLDER = "/tmp/"  # perf and JITs use it whatever TMPDIR is
_MAX_BYTES = 64 << 20
_MAX_NAME_BYTES = 4096


class PerfMap:
    """The names of one process. For one thread."""

    __slots__ = ("_ends", "_file", "_names", "_pid", "_read_bytes", "_starts")

    def __init__(self, pid: int) -> None:
        """``pid`` 0 = the process has ended: no names."""
        self._pid = pid
        self._file = (0, 0)  # device and number of the file that was read
        self._read_bytes = 0  # of that file, in whole lines
        # Ranges in ascending order that do not overlap.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._names: list[str] = []

    def find(self, address: int) -> str:
        """Return the name of the code at an address; "" = not known."""
        self._read()
        index = bisect_right(self._starts, address) - 1
        return self._names[index] if index >= 0 and address < self._ends[index] else ""

    def _read(self) -> None:
        """Read the lines that were written since the last call."""
        fd = _open(self._pid) if self._pid else None
        if fd is None:
            return
        with open(fd, "rb") as file:
            status = os.fstat(fd)
            identity = (status.st_dev, status.st_ino)
            if identity != self._file or status.st_size < self._read_bytes:
                self._forget()
                self._file = identity
            if status.st_size == self._read_bytes:
                return
            file.seek(self._read_bytes)
            content = file.read(_MAX_BYTES - self._read_bytes)
        content = content[: content.rfind(b"\n") + 1]  # the last line may be unfinished
        self._read_bytes += len(content)
        for line in content.decode("utf-8", "replace").split("\n"):
            parts = line.split(" ", 2)
            try:
                start, size, name = int(parts[0], 16), int(parts[1], 16), parts[2].strip()
            except (ValueError, IndexError):
                continue  # of another format
            if size > 0:
                self._put(start, start + size, name[:_MAX_NAME_BYTES])

    def _put(self, start: int, end: int, name: str) -> None:
        """Add a range. Other ranges keep only their parts outside of it."""
        first = bisect_right(self._ends, start)
        behind = bisect_left(self._starts, end)
        ranges = [(start, end, name)]
        if first < behind:
            last = behind - 1
            if self._starts[first] < start:
                ranges.insert(0, (self._starts[first], start, self._names[first]))
            if end < self._ends[last]:
                ranges.append((end, self._ends[last], self._names[last]))
        replaced = slice(first, behind)
        self._starts[replaced] = [each[0] for each in ranges]
        self._ends[replaced] = [each[1] for each in ranges]
        self._names[replaced] = [each[2] for each in ranges]

    def _forget(self) -> None:
        self._read_bytes = 0
        for column in (self._starts, self._ends, self._names):
            column.clear()


def _open(pid: int) -> int | None:
    """Open the map of a process; None = there is none."""
    try:
        owner = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None  # the process has ended
    for path in _list_paths(pid):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        status = os.fstat(fd)
        if status.st_uid in (0, owner) and stat.S_ISREG(status.st_mode):
            return fd
        os.close(fd)
    return None


def _list_paths(pid: int) -> Iterator[str]:
    """Yield the places of the map: in the process's own namespaces, where its number and /tmp may
    differ, then in this one's."""
    yield f"/proc/{pid}/root{_FOLDER}perf-{_find_inner_pid(pid)}.map"
    yield f"{_FOLDER}perf-{pid}.map"


def _find_inner_pid(pid: int) -> int:
    """Return the number of a process in its own namespace."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith(b"NSpid:"):
                    return int(line.split()[-1])
    except (OSError, ValueError, IndexError):
        return pid
    return pid
