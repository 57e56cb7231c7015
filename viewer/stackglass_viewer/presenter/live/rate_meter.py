"""Rate meters: rates over the last seconds, from cumulative counts."""

from __future__ import annotations

from collections import deque

_WINDOW_NS = 3_000_000_000
_IDLE_NS = 1_000_000_000  # the time without CPU after which a process counts as idle
_IDLE_SHARE = 0.002  # of one processor; a process that uses less is idle
_MIN_CPU_NS = 20_000_000  # CPU time in the window; a rate over less is noise


class RateMeter:
    """Rates of the CPU samples, from each Status message. For one thread."""

    def __init__(self) -> None:
        # time in ns, samples, CPU time in ns; the last two are cumulative
        self._points: deque[tuple[int, int, int]] = deque()

    def add(self, time_ns: int, n_samples: int, cpu_ns: int) -> None:
        """Add the counts at one time."""
        self._points.append((time_ns, n_samples, cpu_ns))
        while len(self._points) > 2 and time_ns - self._points[1][0] >= _WINDOW_NS:
            self._points.popleft()

    @property
    def achieved_hz(self) -> float | None:
        """Samples per second of CPU time; None = too little CPU time was used for a rate."""
        if len(self._points) < 2:
            return None
        first, last = self._points[0], self._points[-1]
        cpu_ns = last[2] - first[2]
        return (last[1] - first[1]) * 1e9 / cpu_ns if cpu_ns >= _MIN_CPU_NS else None

    @property
    def cpu_share(self) -> float | None:
        """CPU time as a share of one processor; None = not known yet."""
        if len(self._points) < 2:
            return None
        first, last = self._points[0], self._points[-1]
        time_ns = last[0] - first[0]
        # May be negative: the engine subtracts its own threads' CPU time, which it reads later.
        return max(0, last[2] - first[2]) / time_ns if time_ns > 0 else None

    @property
    def is_idle(self) -> bool:
        """Whether no thread uses the CPU; also True while that is not known yet."""
        if len(self._points) < 2:
            return True
        last = self._points[-1]
        before = self._points[0]
        for point in reversed(self._points):
            if last[0] - point[0] >= _IDLE_NS:
                before = point
                break
        time_ns = last[0] - before[0]
        return time_ns <= 0 or (last[2] - before[2]) / time_ns < _IDLE_SHARE


class HeapMeter:
    """Rate of the heap samples, from each HeapStatus message. For one thread."""

    def __init__(self) -> None:
        self._points: deque[tuple[int, int]] = deque()  # time in ns, cumulative samples

    def add(self, time_ns: int, n_samples: int) -> None:
        """Add the count at one time."""
        self._points.append((time_ns, n_samples))
        while len(self._points) > 2 and time_ns - self._points[1][0] >= _WINDOW_NS:
            self._points.popleft()

    @property
    def samples_hz(self) -> float | None:
        """Samples per second; None = not known yet."""
        if len(self._points) < 2:
            return None
        (first_ns, first), (last_ns, last) = self._points[0], self._points[-1]
        return (last - first) * 1e9 / (last_ns - first_ns) if last_ns > first_ns else None
