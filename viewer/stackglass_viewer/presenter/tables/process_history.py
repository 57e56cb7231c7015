"""History of processes: CPU and memory of the last minute, for the graphs beside the numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from stackglass_viewer.presenter.settings.view_state import ProcessRow

_N_POINTS = 30  # a minute, if the list is read every two seconds


class _Points:
    """CPU shares and resident bytes of one process, oldest first."""

    def __init__(self, row: ProcessRow) -> None:
        self.row = row
        self.cpu: deque[float] = deque(maxlen=_N_POINTS)
        self.memory: deque[float] = deque([row.rss_bytes], maxlen=_N_POINTS)

    def add(self, row: ProcessRow) -> None:
        passed_ns = row.seen_ns - self.row.seen_ns
        if passed_ns <= 0:
            return  # the process was not read again
        self.cpu.append((row.cpu_ns - self.row.cpu_ns) / passed_ns)
        self.memory.append(row.rss_bytes)
        self.row = row


class ProcessHistory:
    """Keeps the points by PID. A process that has ended is forgotten, and a new process with the
    same PID starts without points."""

    def __init__(self) -> None:
        self._points: dict[int, _Points] = {}

    def add(self, rows: Sequence[ProcessRow]) -> None:
        """Add a reading of all processes."""
        points = {}
        for row in rows:
            known = self._points.get(row.pid)
            is_same = known is not None and known.row.command == row.command
            if known is None or not is_same or row.cpu_ns < known.row.cpu_ns:
                points[row.pid] = _Points(row)
            else:
                known.add(row)
                points[row.pid] = known
        self._points = points

    def cpu_share(self, pid: int) -> float | None:
        """Return the share of one processor since the last reading; None = not known yet."""
        cpu = self.list_cpu(pid)
        return cpu[-1] if cpu else None

    def list_cpu(self, pid: int) -> tuple[float, ...]:
        """Return shares of one processor, oldest first."""
        return tuple(self._points[pid].cpu) if pid in self._points else ()

    def list_memory(self, pid: int) -> tuple[float, ...]:
        """Return resident bytes, oldest first."""
        return tuple(self._points[pid].memory) if pid in self._points else ()
