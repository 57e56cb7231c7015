"""Perf map: names that a JIT writes for the code that it makes, in ``/tmp/perf-PID.map``.

A line is the start and the size in hexadecimal, and the name. The file grows. Code comes to memory
that other code has left, so lines overlap: the last line that holds an address counts.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

_FOLDER = "/tmp/"  # whatever TMPDIR says: perf and JITs agree on it
_MAX_BYTES = 64 << 20
_MAX_NAME_BYTES = 4096


class PerfMap:
    """The names of one process. For one thread."""

    __slots__ = ("_ends", "_file", "_names", "_pid", "_read_bytes", "_starts")

    def __init__(self, pid: int) -> None:
        """0 = a process that has ended: no names."""
        self._pid = pid
        self._file = (0, 0)  # device and number of the file that was read
        self._read_bytes = 0  # whole lines of it
        # Ranges in ascending order that do not overlap.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._names: list[str] = []

    def find(self, address: int) -> str:
        """The name of the code at an address; "" = not known."""
        self._read()
        place = bisect_right(self._starts, address) - 1
        return self._names[place] if place >= 0 and address < self._ends[place] else ""

    def _read(self) -> None:
        """Take the lines that were written since."""
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
        content = content[: content.rfind(b"\n") + 1]  # the last line may be in the making
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
        """Over what is there: of other ranges only what lies outside remains."""
        first = bisect_right(self._ends, start)
        behind = bisect_left(self._starts, end)
        ranges = [(start, end, name)]
        if first < behind:
            last = behind - 1
            if self._starts[first] < start:
                ranges.insert(0, (self._starts[first], start, self._names[first]))
            if end < self._ends[last]:
                ranges.append((end, self._ends[last], self._names[last]))
        place = slice(first, behind)
        self._starts[place] = [each[0] for each in ranges]
        self._ends[place] = [each[1] for each in ranges]
        self._names[place] = [each[2] for each in ranges]

    def _forget(self) -> None:
        self._read_bytes = 0
        for column in (self._starts, self._ends, self._names):
            column.clear()


def _open(pid: int) -> int | None:
    """The map of a process; None = there is none."""
    try:
        owner = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None  # it has ended
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
    """The process may have another number and another /tmp where it runs."""
    yield f"/proc/{pid}/root{_FOLDER}perf-{_find_inner_pid(pid)}.map"
    yield f"{_FOLDER}perf-{pid}.map"


def _find_inner_pid(pid: int) -> int:
    """Its number in its own namespace."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith("NSpid:"):
                    return int(line.split()[-1])
    except (OSError, ValueError, IndexError):
        return pid
    return pid
