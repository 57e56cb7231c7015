"""Code made at run time: which memory of a process is executable and belongs to no file."""

from __future__ import annotations

import time
from bisect import bisect_right

_AGAIN_S = 1.0
_FILELESS = ("[anon", "/memfd:", "//anon", "/dev/zero", "/SYSV")
"""How the kernel names memory without a file of its own; without a name it is anonymous, too."""


class MadeCode:
    """The executable anonymous memory of one process. For one thread."""

    __slots__ = ("_ends", "_pid", "_read_s", "_starts")

    def __init__(self, pid: int) -> None:
        """0 = a process that has ended: nothing is known of it."""
        self._pid = pid
        self._read_s = float("-inf")
        self._starts: list[int] = []
        self._ends: list[int] = []

    def holds(self, address: int) -> bool:
        """Whether the address is in such memory. The map is read again for an address that it does
        not have, at most once a second."""
        return self._has(address) or (self._read() and self._has(address))

    def _has(self, address: int) -> bool:
        place = bisect_right(self._starts, address) - 1
        return place >= 0 and address < self._ends[place]

    def _read(self) -> bool:
        """False if it is too soon, or the process is not there."""
        now_s = time.monotonic()
        if not self._pid or now_s - self._read_s < _AGAIN_S:
            return False
        self._read_s = now_s
        try:
            with open(f"/proc/{self._pid}/maps", encoding="utf-8", errors="replace") as file:
                rows = [line.split(None, 5) for line in file]
        except OSError:
            return False
        made = [row[0].split("-") for row in rows if _is_made(row)]
        self._starts = [int(start, 16) for start, _ in made]
        self._ends = [int(end, 16) for _, end in made]
        return True


def _is_made(row: list[str]) -> bool:
    """A line of a map: addresses, permissions, offset, device, inode, name."""
    return "x" in row[1] and (len(row) < 6 or row[5].startswith(_FILELESS))
