"""Code made at run time: which memory of a process is executable and belongs to no file."""

from __future__ import annotations

from bisect import bisect_right

from stackglass.clock import SYSTEM_CLOCK, Clock

_AGAIN_NS = 50_000_000
_FILELESS = ("[anon", "/memfd:", "//anon", "/dev/zero", "/SYSV")
"""How the kernel names memory without a file of its own; without a name it is anonymous, too."""


class MadeCode:
    """The executable anonymous memory of one process. For one thread."""

    __slots__ = ("_clock", "_ends", "_pid", "_read_ns", "_starts")

    def __init__(self, pid: int, clock: Clock = SYSTEM_CLOCK) -> None:
        """0 = a process that has ended: nothing is known of it."""
        self._pid = pid
        self._clock = clock
        self._read_ns = -_AGAIN_NS
        self._starts: list[int] = []
        self._ends: list[int] = []

    def holds(self, address: int) -> bool:
        """Whether the address is in such memory. The map is read again for an address that it does
        not have, once for all that come in one message: an address is asked for once, so one that
        is new since the map was read would have no name for ever."""
        return self._has(address) or (self._read() and self._has(address))

    def _has(self, address: int) -> bool:
        place = bisect_right(self._starts, address) - 1
        return place >= 0 and address < self._ends[place]

    def _read(self) -> bool:
        """False if it is too soon, or the process is not there."""
        now_ns = self._clock.mono_ns()
        if not self._pid or now_ns - self._read_ns < _AGAIN_NS:
            return False
        self._read_ns = now_ns
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
