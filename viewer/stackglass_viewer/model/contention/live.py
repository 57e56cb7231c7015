"""Contention of a live session: buckets, locks and waits as the engine reports them.

::

    Contention ── sums ────▶ since the beginning, or the last clear: exact
               ── events ──▶ by bucket and thread, to 10 ms: any span, some threads
               ── delays ──▶ waits by size: any span, all threads
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.downsampling import AgedRows, AgingRows, make_rows, sum_between
from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Int64s, UInt64s, freeze
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.columns.wire_columns import check_equal, find_string, read_columns
from stackglass_viewer.model.contention.buckets import (
    ContentionBuckets,
    ContentionColumn,
    ContentionValues,
    Locks,
)
from stackglass_viewer.model.contention.delay_cells import (
    N_DELAYS,
    NO_CELLS,
    DelayCells,
    sum_cells,
)
from stackglass_viewer.model.live.labels import LiveLabels, read_references
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.proto import wire_pb2

_FIRST_BUCKETS = 256
_MAX_BUCKETS = 2**31 // N_DELAYS  # the numbers of their size classes have 32 bits


@dataclass(frozen=True, slots=True, eq=False)
class ContentionSpan:
    """The part of a session that a view covers. Times are units of 10 ms since its start."""

    after: int
    until: int
    is_all: bool  # since the beginning or the last clear, up to now
    tids: frozenset[int] | None  # None = all


class LiveContention:
    """The state of all messages so far. The owner's lock guards all methods; the values that they
    return are immutable."""

    def __init__(self) -> None:
        self._kind = GrowingColumn(np.int32)
        self._primitive = GrowingColumn(np.int32)
        self._lock = GrowingColumn(np.int32)
        self._node = GrowingColumn(np.int32)
        self._other_node = GrowingColumn(np.int32)
        self._labels = GrowingColumn(np.int32)
        self._other_labels = GrowingColumn(np.int32)
        self._lock_primitive: list[str] = []
        self._lock_address = GrowingColumn(np.uint64)
        self._lock_name: list[str] = []
        self._lock_site: list[str] = []
        self._lock_wait: list[str] = []
        # The result of the last ``view_locks``; None = a lock has been added or named since.
        self._locks: Locks | None = None
        # For each bucket: count and total, the longest wait, and when that was reported.
        self._sums = np.zeros((2, _FIRST_BUCKETS), dtype=np.int64)
        self._max_ns = np.zeros(_FIRST_BUCKETS, dtype=np.int64)
        self._max_time = np.zeros(_FIRST_BUCKETS, dtype=np.int64)  # units
        self._delays = NO_CELLS
        self._events = AgingRows()  # values: count, ns
        self._sizes = AgingRows()  # buckets are cells of ``DelayCells``; values: count
        self._longer: list[Int64s] = []  # buckets with a new longest wait since the last status
        self._sized: list[tuple[Int64s, Int64s]] = []  # cells and new waits since the last status
        self._since: Int64s | None = None  # (2, n) sums at the beginning, or at the last clear
        self._since_delays = NO_CELLS
        self._since_time = 0  # units
        self.start_mono_ns = 0  # CLOCK_MONOTONIC at time 0
        # Whether messages still bring records from before the client connected, which are skipped.
        self._is_behind = False
        self._now = 0  # units
        self.status: wire_pb2.ContentionStatus | None = None  # the last; never changed
        self.before: wire_pb2.ContentionStatus | None = None  # the status when counting began

    def __len__(self) -> int:
        return self._kind.n_rows

    @property
    def now(self) -> int:
        """The time up to which the engine has reported everything, in units of 10 ms."""
        return self._now

    # -- messages

    def start(self, ready: wire_pb2.Ready, since: int) -> None:
        """Set the session's clock. ``since``: when the client connected, in units; above 0 if the
        session had begun before."""
        self.start_mono_ns = ready.time_mono_ns
        self._since_time = since
        self._now = max(self._now, since)
        self._is_behind = since > 0

    def add(
        self,
        message: wire_pb2.Contention,
        strings: Sequence[str],
        n_nodes: int,
        labels: LiveLabels,
    ) -> None:
        """Add a message; ``n_nodes`` stacks are defined. Raises WireError."""
        self._define_locks(message, strings)
        self._define_buckets(message, len(strings), n_nodes, labels)
        self._name_locks(message, strings)
        self._add_values(message)
        self._add_delays(message)
        self._add_events(message)

    def add_status(self, status: wire_pb2.ContentionStatus) -> None:
        """Store a status. Its time becomes the time of all news since the last one. Raises
        WireError."""
        if status.time_mono_ns < 0:
            raise WireError("a contention status has a negative time")
        self.status = wire_pb2.ContentionStatus.FromString(status.SerializeToString())
        self._now = max(self._now, (status.time_mono_ns - self.start_mono_ns) // UNIT_NS)
        self._date_news()
        if self._is_behind:
            self._is_behind = False
            self.clear()

    def clear(self) -> None:
        """Count waits from now on: remember the present sums, to subtract them later."""
        self._since = self._sums[:, : len(self)].copy()
        self._since_delays = self._delays
        self._since_time = self._now
        self.before = self.status

    # -- captures

    def view_buckets(self) -> ContentionBuckets:
        return ContentionBuckets(
            self._kind.view(),
            self._primitive.view(),
            self._lock.view(),
            self._node.view(),
            self._other_node.view(),
            self._labels.view(),
            self._other_labels.view(),
        )

    def view_locks(self) -> Locks:
        if self._locks is None:
            self._locks = Locks(
                tuple(self._lock_primitive),
                self._lock_address.view(),
                tuple(self._lock_name),
                tuple(self._lock_site),
                tuple(self._lock_wait),
            )
        return self._locks

    def list_events(self) -> Tables[AgedRows]:
        """Return the waits by time, bucket and thread; values are count and ns."""
        return self._events.list_tables()

    def choose_span(
        self,
        span_ns: int | None,
        tids: frozenset[int] | None,
        between: tuple[int, int] | None = None,
    ) -> ContentionSpan:
        """Return the span ``between`` two moments, or the last ``span_ns``, None = all.

        Moments are rounded outwards to the resolution that is left at their age.
        """
        if between is not None:
            begin, end = sorted(between)
            coarse = self._events.span_at(begin)
            begin = max(begin // coarse * coarse, self._since_time)
            coarse = self._events.span_at(end)
            return ContentionSpan(begin, max(-(-end // coarse) * coarse, begin), False, tids)
        if span_ns is None:
            return ContentionSpan(self._since_time, self._now, True, tids)
        after = max(self._now - span_ns // UNIT_NS, self._since_time)
        return ContentionSpan(after, self._now, False, tids)

    def take_values(self, span: ContentionSpan, has_delays: bool) -> ContentionValues:
        """Return the values of a span; waits by size only with ``has_delays``, as they are many."""
        n = len(self)
        columns = self._sum(span, n)
        max_ns = np.full(n, -1, dtype=np.int64)
        delays = None
        if has_delays and span.tids is None:
            delays = self._sum_delays(span)
            # The longest of all is the longest of this span if it was reported in this span.
            is_here = self._max_time[:n] > span.after
            if span.until < self._now:
                is_here &= self._max_time[:n] <= span.until
            # A wait is reported some time after its end. If its end lies before the span, the span
            # has less waiting time than this wait had.
            is_here &= self._max_ns[:n] <= columns[ContentionColumn.DELAY]
            max_ns[:] = self._find_longest(span, delays)
            max_ns[is_here] = self._max_ns[:n][is_here]
        freeze(columns, max_ns)
        return ContentionValues(columns, max_ns, delays)

    def _sum(self, span: ContentionSpan, n: int) -> Int64s:
        if span.is_all and span.tids is None:
            columns = self._sums[:, :n].copy()
            if self._since is not None:
                columns[:, : self._since.shape[1]] -= self._since
            return columns
        # Waits reported since the last status belong to the span as well.
        until = None if span.until >= self._now else span.until
        return sum_between(self.list_events(), n, 2, span.after, until, span.tids)

    def _find_longest(self, span: ContentionSpan, delays: DelayCells) -> Int64s:
        """Return the longest wait of each bucket in a span, from events: (n_buckets,); -1 =
        unknown.

        An event that stands for one wait has the wait's length. The longest wait is known if there
        is such an event for each wait of the bucket's largest size class.
        """
        n = len(self)
        top, n_in_top = delays.find_top(np.arange(n))
        longest, n_seen = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for rows in self.list_events():
            is_one = (rows.values[0] == 1) & (rows.until > span.after)
            if span.until < self._now:
                is_one &= rows.until <= span.until
            bucket, length = rows.bucket[is_one], rows.values[1][is_one]
            size = np.frexp(length.astype(np.float64))[1] - 1
            is_top = size == top[bucket]
            np.maximum.at(longest, bucket[is_top], length[is_top])
            np.add.at(n_seen, bucket[is_top], 1)
        is_known = (n_seen > 0) & (n_seen == n_in_top)
        return np.asarray(np.where(is_known, longest, -1), dtype=np.int64)

    def _sum_delays(self, span: ContentionSpan) -> DelayCells:
        if span.is_all:
            return self._delays.subtract(self._since_delays)
        until = None if span.until >= self._now else span.until
        return sum_cells(self._sizes.list_tables(), span.after, until)

    # -- parts of a message

    def _define_locks(self, message: wire_pb2.Contention, strings: Sequence[str]) -> None:
        primitives, addresses = message.lock_primitive, message.lock_address
        check_equal(primitives, addresses)
        if not primitives:
            return
        self._lock_primitive.extend(find_string(strings, primitive) for primitive in primitives)
        self._lock_address.extend(_read_unsigned(addresses))
        self._lock_name.extend("" for _ in primitives)
        self._lock_site.extend("" for _ in primitives)
        self._lock_wait.extend("" for _ in primitives)
        self._locks = None

    def _name_locks(self, message: wire_pb2.Contention, strings: Sequence[str]) -> None:
        if not message.named_lock:
            return
        # Older engines do not say where a lock was waited for.
        waits = message.named_wait or [0] * len(message.named_lock)
        rows = (message.named_lock, message.named_name, message.named_site, waits)
        check_equal(*rows)
        for lock, name, site, wait in zip(*rows, strict=True):
            if lock >= len(self._lock_name):
                raise WireError("a message names an undefined lock")
            self._lock_name[lock] = find_string(strings, name)
            self._lock_site[lock] = find_string(strings, site)
            self._lock_wait[lock] = find_string(strings, wait)
        self._locks = None

    def _define_buckets(
        self, message: wire_pb2.Contention, n_strings: int, n_nodes: int, labels: LiveLabels
    ) -> None:
        kinds, primitives, locks, nodes, others = read_columns(
            message.bucket_kind,
            message.bucket_primitive,
            message.bucket_lock,
            message.bucket_node,
            message.bucket_other_node,
        )
        if len(kinds) == 0:
            return
        if max(int(nodes.max()), int(others.max())) >= n_nodes:
            raise WireError("a bucket refers to an undefined stack")
        if int(primitives.max()) >= n_strings:
            raise WireError("a bucket refers to an undefined string")
        if int(locks.max()) >= max(len(self._lock_name), 1):
            raise WireError("a bucket refers to an undefined lock")
        if int(kinds.max()) > 2**31 - 1 or len(self) + len(kinds) > _MAX_BUCKETS:
            raise WireError("there are too many buckets")
        columns = (message.bucket_labels, message.bucket_other_labels)
        own, other = (read_references(column, len(kinds)) for column in columns)
        check_equal(kinds, own, other)
        for column, values in (
            (self._kind, kinds),
            (self._primitive, primitives),
            (self._lock, locks),
            (self._node, nodes),
            (self._other_node, others),
            (self._labels, labels.number(own)),
            (self._other_labels, labels.number(other)),
        ):
            column.extend(values)
        self._widen(len(self))

    def _widen(self, n_buckets: int) -> None:
        if n_buckets <= len(self._max_ns):
            return
        n_more = max(n_buckets, 2 * len(self._max_ns)) - len(self._max_ns)
        self._sums = np.pad(self._sums, ((0, 0), (0, n_more)))
        self._max_ns = np.pad(self._max_ns, (0, n_more))
        self._max_time = np.pad(self._max_time, (0, n_more))

    def _add_values(self, message: wire_pb2.Contention) -> None:
        bucket, count, total, longest = read_columns(
            message.value_bucket,
            message.value_count,
            message.value_total_ns,
            message.value_max_ns,
        )
        self._check(bucket)
        self._sums[:, bucket] = (count, total)
        is_longer = longest > self._max_ns[bucket]
        self._max_ns[bucket[is_longer]] = longest[is_longer]
        self._longer.append(bucket[is_longer])

    def _add_delays(self, message: wire_pb2.Contention) -> None:
        bucket, size, count = read_columns(
            message.delay_bucket, message.delay_log2, message.delay_count
        )
        self._check(bucket)
        if len(bucket) == 0:
            return
        if int(size.max()) >= N_DELAYS:
            raise WireError("the length of a wait is out of range")
        cell = bucket * N_DELAYS + size
        self._delays, more = self._delays.set_counts(cell, count)
        self._sized.append((cell, more))

    def _date_news(self) -> None:
        """Date the longest waits and sizes that came since the last status: they get its time."""
        for bucket in self._longer:
            self._max_time[bucket] = 0 if self._is_behind else self._now
        for cell, more in () if self._is_behind else self._sized:
            until = np.full(len(cell), self._now, dtype=np.int32)
            no_tid = np.zeros(len(cell), dtype=np.int32)
            rows = make_rows(until, cell.astype(np.int32), no_tid, more[None, :])
            self._sizes.add(rows, self._now)
        self._longer, self._sized = [], []

    def _add_events(self, message: wire_pb2.Contention) -> None:
        bucket, tid, time, count, total = read_columns(
            message.event_bucket,
            message.event_tid,
            message.event_time,
            message.event_count,
            message.event_ns,
        )
        self._check(bucket)
        if len(bucket) == 0 or self._is_behind:
            return
        if int(time.max()) >= 2**31 - 1:
            raise WireError("a message has events dated years in the future")
        until = (time + 1).astype(np.int32)  # events are dated by the end of their unit
        rows = make_rows(
            until, bucket.astype(np.int32), tid.astype(np.int32), np.stack((count, total))
        )
        self._events.add(rows, max(self._now, int(until.max())))

    def _check(self, bucket: Int64s) -> None:
        if len(bucket) and int(bucket.max()) >= len(self):
            raise WireError("a message has waits of an undefined bucket")


def _read_unsigned(column: Sequence[int]) -> UInt64s:
    return np.fromiter(column, dtype=np.uint64, count=len(column))
