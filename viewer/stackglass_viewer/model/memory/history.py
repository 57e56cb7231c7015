"""Memory history of a session for its timeline: resident and used bytes, pauses of the collector,
and allocations by thread.

::

    Heap ──── events ───────▶ allocations by bucket and thread, to 10 ms ──▶ allocation rate
         ──── collections ──▶ pauses
    HeapStatus ─────────────▶ resident, in use

``model.heap.history`` keeps the sums by bucket, which are exact. Events may be lost (their number
is reported), and those from before the client connected are missing; but each event has its time
and its thread.

However long the session, the size is limited: 37 MB for allocations (``downsampling.MAX_ROWS`` rows
of 28 bytes for each of five ages), less than 10 MB for the rest.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.downsampling import AgedRows, AgingRows, make_rows
from stackglass_viewer.model.columns.index import Float64s, UInt64s, freeze
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.columns.wire_columns import read_columns
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.memory.gc_pauses import PauseLog, Pauses
from stackglass_viewer.model.memory.points import AllocationRate, PointLine, Points
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops

_MAX_INT = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRecord:
    """The memory of a session so far. Immutable.

    Times are in units of 10 ms since the session's start.
    """

    rss: Points  # bytes
    accounted: Points  # bytes in use, as far as the engine knows
    rate_time: Float64s  # (n,)
    rate_bytes: Float64s  # (n,) bytes allocated per second
    pauses: Pauses
    first: int  # time of the engine's first heap status
    now: int  # time of the engine's last heap status
    start_mono_ns: int  # CLOCK_MONOTONIC at time 0
    n_lost_events: int  # events that are missing from the rate

    @property
    def is_empty(self) -> bool:
        return len(self.accounted.time) == 0


class MemoryHistory:
    """The memory of a session so far. The owner's lock guards it; results are immutable."""

    def __init__(self) -> None:
        self._start_mono_ns = 0
        self._allocations = AgingRows()  # values: objects, bytes; not scaled to estimates
        self._rss = PointLine()
        self._accounted = PointLine()
        self._rate = AllocationRate()
        self._pauses = PauseLog()
        self._first = 0  # units
        self._now = 0  # units
        self._n_lost_events = 0

    def start(self, ready: wire_pb2.Ready) -> None:
        """Set the session's clock."""
        self._start_mono_ns = ready.time_mono_ns

    def add(self, message: wire_pb2.Heap, bucket_rate: UInt64s) -> None:
        """Add events and collections; ``bucket_rate`` (n_buckets,) bytes. Raises WireError."""
        self._add_events(message, bucket_rate)
        self._add_collections(message)

    def add_status(self, status: wire_pb2.HeapStatus) -> None:
        """Add the values of one moment."""
        since_ns = max(status.time_mono_ns - self._start_mono_ns, 0)
        now = max(since_ns // UNIT_NS, self._now)
        if not len(self._accounted):
            self._first = now
        self._now = now
        self._n_lost_events = status.n_lost_events
        if status.rss_bytes:
            self._rss.add(now, min(status.rss_bytes, _MAX_INT))
        self._accounted.add(now, min(status.accounted_bytes, _MAX_INT))

    def capture(self) -> MemoryRecord:
        """Return the record up to now."""
        rate_time, rate_bytes = self._rate.view(self._first, self._now)
        freeze(rate_time, rate_bytes)
        return MemoryRecord(
            rss=self._rss.view(),
            accounted=self._accounted.view(),
            rate_time=rate_time,
            rate_bytes=rate_bytes,
            pauses=self._pauses.view(),
            first=self._first,
            now=self._now,
            start_mono_ns=self._start_mono_ns,
            n_lost_events=self._n_lost_events,
        )

    def list_allocations(self) -> Tables[AgedRows]:
        """Return the sampled allocations. Values are objects and bytes, not scaled to estimates."""
        return self._allocations.list_tables()

    @property
    def now(self) -> int:
        """The time of the engine's last heap status; units."""
        return self._now

    def end_ns(self, time: int) -> int:
        """Return the last nanosecond of a unit, CLOCK_MONOTONIC."""
        return self._start_mono_ns + (time + 1) * UNIT_NS - 1

    def snap(self, time: float, heap_times_ns: list[int], exact_from_ns: int) -> int:
        """Return the known moment nearest to ``time``, in units: the time of a status or, before
        ``exact_from_ns``, one of ``heap_times_ns`` (both CLOCK_MONOTONIC).
        """
        at_ns = self._start_mono_ns + time * UNIT_NS
        if at_ns <= exact_from_ns and heap_times_ns:
            at = bisect_left(heap_times_ns, at_ns)
            near_ns = heap_times_ns[max(at - 1, 0) : at + 1]
            time = min(near_ns, key=lambda each_ns: abs(each_ns - at_ns)) - self._start_mono_ns
            time = time // UNIT_NS
        else:
            known = self._accounted.view().time
            at = int(np.searchsorted(known, time))
            near = known[max(at - 1, 0) : at + 1].tolist()
            time = min(near, key=lambda each: abs(each - time)) if near else time
        return max(min(int(time), self._now), self._first)

    def widen(self, after: int, until: int) -> tuple[int, int]:
        """Return the smallest span with known allocations that contains this one, in units."""
        coarse = self._allocations.span_at(after)
        begin = after // coarse * coarse
        coarse = self._allocations.span_at(until)
        return begin, max(-(-until // coarse) * coarse, begin)

    def _add_events(self, message: wire_pb2.Heap, bucket_rate: UInt64s) -> None:
        bucket, tid, time, count, n_bytes, is_free = read_columns(
            message.event_bucket,
            message.event_tid,
            message.event_time,
            message.event_count,
            message.event_bytes,
            message.event_is_free,
        )
        if not len(bucket):
            return
        if int(bucket.max()) >= len(bucket_rate):
            raise WireError("a message has events of an undefined bucket")
        if int(time.max()) >= 2**31 - 1:
            raise WireError("a message has events dated years in the future")
        is_alloc = is_free == 0
        if not is_alloc.any():
            return
        bucket, tid, time = bucket[is_alloc], tid[is_alloc], time[is_alloc]
        sampled = np.stack((count[is_alloc], n_bytes[is_alloc]))
        until = (time + 1).astype(np.int32)  # events are dated by the end of their unit
        rows = make_rows(until, bucket.astype(np.int32), tid.astype(np.int32), sampled)
        self._allocations.add(rows, max(self._now, int(until.max())))
        scaled = np.empty_like(sampled)
        _loops.unsample(sampled[0], sampled[1], bucket_rate[bucket], scaled[0], scaled[1])
        self._rate.add(time, scaled[1])

    def _add_collections(self, message: wire_pb2.Heap) -> None:
        start_ns, generation, pause_ns, n_freed, n_uncollectable = read_columns(
            message.collection_start_mono_ns,
            message.collection_generation,
            message.collection_pause_ns,
            message.collection_collected,
            message.collection_uncollectable,
        )
        if len(start_ns):
            since_ns = start_ns - self._start_mono_ns
            self._pauses.add(since_ns, generation, pause_ns, n_freed, n_uncollectable)
