"""Code made at run time: memory of a process that is executable and belongs to no file."""

from __future__ import annotations

from bisect import bisect_right

from stackglass.clock import SYSTEM_CLOCK, Clock
from stackglass.symbols.map_rows import read_map

_READ_INTERVAL_NS = 50_000_000
_FILELESS = ("[anon", "/memfd:", "//anon", "/dev/zero", "/SYSV")
"""Prefixes of the kernel's names of memory without a file; memory without a name has none,
either."""


class MadeCode:
    """The executable anonymous memory of one process. For one thread."""

    __slots__ = ("_clock", "_ends", "_pid", "_read_ns", "_starts")

    def __init__(self, pid: int, clock: Clock = SYSTEM_CLOCK) -> None:
        """``pid`` 0 = the process has ended: nothing is known of it."""
        self._pid = pid
        self._clock = clock
        self._read_ns = -_READ_INTERVAL_NS
        self._starts: list[int] = []
        self._ends: list[int] = []

    def holds(self, address: int) -> bool:
        """Return whether the address is in such memory. For an unknown address the map is read
        again, at most every 50 ms: once for all addresses of a message. Without that, code that is
        newer than the map would never have a name, because each address is looked up only once."""
        return self._has(address) or (self._read() and self._has(address))

    def _has(self, address: int) -> bool:
        index = bisect_right(self._starts, address) - 1
        return index >= 0 and address < self._ends[index]

    def _read(self) -> bool:
        """Read the map. Returns False if the last read was just before, or the process has
        ended."""
        now_ns = self._clock.mono_ns()
        if not self._pid or now_ns - self._read_ns < _READ_INTERVAL_NS:
            return False
        self._read_ns = now_ns
        try:
            rows = read_map(self._pid)
        except OSError:
            return False
        made = [row[0].split("-") for row in rows if _is_made(row)]
        self._starts = [int(start, 16) for start, _ in made]
        self._ends = [int(end, 16) for _, end in made]
        return True


def _is_made(row: list[str]) -> bool:
    """Return whether a row of a map is such memory. Its columns: addresses, permissions, offset,
    device, inode, name."""
    return "x" in row[1] and (len(row) < 6 or row[5].startswith(_FILELESS))
