"""History of the engine's status: clock, rate, CPU time used, samples lost."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import NamedTuple

from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.proto import wire_pb2

_FINE_UNITS = 90 * 100  # 90 s: all points are kept for this long, then one per second
_SECOND = 100  # units
_NS_PER_S = 1_000_000_000
_MAX_POINTS = 100_000


class _Point(NamedTuple):
    time: int  # units of 10 ms since the session's start
    n_lost: int  # cumulative
    used_ns: int  # CPU time, cumulative
    cpu_hz: int


class LiveHistory:
    """The status reports of a session, by time. The owner's lock guards all methods."""

    def __init__(self, connected_mono_ns: int) -> None:
        self._connected_mono_ns = connected_mono_ns
        self._start_mono_ns = 0
        self._start_unix_ns = 0
        self._is_joined = False  # whether the session began before the client connected
        self._older: list[_Point] = []
        self._recent: deque[_Point] = deque()
        self._base = _Point(0, 0, 0, 0)  # the counts at the start, or at the last ``clear``
        self.cpu_hz = 0
        self.wall_hz = 0  # the last rate of wall samples that was not off

    @property
    def latest(self) -> int:
        """The time of the engine's last status, in units; 0 = there is none."""
        return self._recent[-1].time if self._recent else 0

    def start(self, ready: wire_pb2.Ready) -> int:
        """Set the session's clock. Returns when the client connected, in units since the session's
        start; 0 = at the start."""
        self._start_mono_ns = ready.time_mono_ns
        self._start_unix_ns = ready.time_unix_ns
        late_ns = self._connected_mono_ns - ready.time_mono_ns
        self._is_joined = late_ns > 0
        return max(late_ns, 0) // UNIT_NS

    def set_rates(self, cpu_hz: int, wall_hz: int) -> None:
        self.cpu_hz = cpu_hz
        self.wall_hz = wall_hz or self.wall_hz

    def add_status(self, status: wire_pb2.Status) -> None:
        """Add the counts of one moment."""
        self.cpu_hz = status.cpu_hz
        since_ns = max(status.time_mono_ns - self._start_mono_ns, 0)
        point = _Point(since_ns // UNIT_NS, status.n_lost, status.process_cpu_ns, status.cpu_hz)
        if self._is_joined and not self._recent:
            self._base = point
        self._recent.append(point)
        self._thin()

    def clear(self, now: int) -> None:
        """Count from now on."""
        if self._recent:
            self._base = self._recent[-1]._replace(time=now)

    def count_lost(self, begin: int, end: int) -> int:
        """Return the number of samples that could not be stored between two moments, in units."""
        if not self._recent:
            return 0
        return max(self._point_before(end).n_lost - self._point_before(begin).n_lost, 0)

    def weigh_lost(self, begin: int, end: int, n_lost: int, sampled_ns: int) -> int:
        """Return the CPU time of lost samples, ns. ``sampled_ns``: that of the other samples.

        The weights of all samples add up to the CPU time used. So the lost samples have the CPU
        time used minus ``sampled_ns``, but at most one sampling period each.
        """
        if not self._recent or n_lost <= 0:
            return 0
        used_ns = self._point_before(end).used_ns - self._point_before(begin).used_ns
        period_ns = _NS_PER_S // self.cpu_hz if self.cpu_hz else 0
        return max(min(used_ns - sampled_ns, n_lost * period_ns), 0)

    def to_unix_ns(self, units: int) -> int:
        """Return the wall clock of a moment; 0 = not known yet."""
        return self._start_unix_ns + units * UNIT_NS if self._start_unix_ns else 0

    def mono_to_unix_ns(self, mono_ns: int) -> int:
        """Return the wall clock of a time of CLOCK_MONOTONIC; 0 = not known yet."""
        if not self._start_unix_ns:
            return 0
        return max(self._start_unix_ns + mono_ns - self._start_mono_ns, 0)

    def _point_before(self, time: int) -> _Point:
        """Return the last point up to a moment, but not before the base."""
        if time <= self._base.time:
            return self._base
        points = self._recent if time >= self._recent[0].time else self._older
        at = bisect_right(points, time, key=lambda point: point.time)
        found = points[at - 1] if at else self._base
        return found if found.time >= self._base.time else self._base

    def _thin(self) -> None:
        """Keep one point per second of the points older than 90 s. If these are too many,
        drop every second point of their older half."""
        limit = self.latest - _FINE_UNITS
        while self._recent[0].time < limit:
            point = self._recent.popleft()
            if not self._older or point.time // _SECOND != self._older[-1].time // _SECOND:
                self._older.append(point)
        if len(self._older) > _MAX_POINTS:
            half = len(self._older) // 2
            self._older = self._older[:half:2] + self._older[half:]
