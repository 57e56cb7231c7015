"""Perf map: names that a JIT writes for the code that it makes, in ``/tmp/perf-PID.map``.

A line is the start and the size in hexadecimal, and the name. The file grows; a function that is
compiled again has another line, and the last one of an address counts.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_right

_FOLDER = "/tmp/"  # whatever TMPDIR says: perf and JITs agree on it
_MAX_BYTES = 64 << 20
_MAX_NAME_BYTES = 4096


class PerfMap:
    """The names of one process. For one thread."""

    __slots__ = ("_names", "_pid", "_read_bytes", "_starts")

    def __init__(self, pid: int) -> None:
        """0 = a process that has ended: no names."""
        self._pid = pid
        self._read_bytes = -1  # the size of the file when it was read
        self._starts: list[int] = []
        self._names: list[tuple[int, str]] = []  # end, name

    def find(self, address: int) -> str:
        """The name of the code at an address; "" = not known."""
        name = self._find(address)
        if not name and self._read():
            name = self._find(address)
        return name

    def _find(self, address: int) -> str:
        place = bisect_right(self._starts, address) - 1
        if place < 0:
            return ""
        end, name = self._names[place]
        return name if address < end else ""

    def _read(self) -> bool:
        """False if there is nothing new."""
        if not self._pid:
            return False
        content = _read_file(self._pid, self._read_bytes)
        if content is None:
            return False
        self._read_bytes = len(content)
        found: dict[int, tuple[int, str]] = {}
        for line in content.decode("utf-8", "replace").splitlines():
            parts = line.split(" ", 2)
            try:
                start, size = int(parts[0], 16), int(parts[1], 16)
                found[start] = (start + size, parts[2].strip()[:_MAX_NAME_BYTES])
            except (ValueError, IndexError):
                continue  # a line that is being written, or of another format
        self._starts = sorted(found)
        self._names = [found[start] for start in self._starts]
        return True


def _read_file(pid: int, known_bytes: int) -> bytes | None:
    """The map of a process, which may have another number and another /tmp where it runs; None =
    there is none, or none that is larger than ``known_bytes``."""
    try:
        owner = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None  # it has ended
    inner = f"/proc/{pid}/root{_FOLDER}perf-{_find_inner_pid(pid)}.map"
    for path in (inner, f"{_FOLDER}perf-{pid}.map"):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        with open(fd, "rb") as file:
            status = os.fstat(fd)
            is_its_own = status.st_uid in (0, owner) and stat.S_ISREG(status.st_mode)
            if not is_its_own or status.st_size <= known_bytes:
                continue
            return file.read(_MAX_BYTES)
    return None


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
