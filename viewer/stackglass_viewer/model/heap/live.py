"""Heap of a live session: buckets and sums as the engine reports them, and their past values.

Sums are unscaled here. ``snapshot`` captures them for the views, and ``buckets`` scales them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.columns.wire_columns import check_equal, read_columns
from stackglass_viewer.model.heap.buckets import (
    ALLOC_BYTES,
    ALLOCS,
    FREE_BYTES,
    FREES,
    N_SUMS,
    HeapBuckets,
    HeapSums,
    make_sums,
)
from stackglass_viewer.model.heap.history import HeapHistory
from stackglass_viewer.model.live.labels import LiveLabels, read_references
from stackglass_viewer.model.proto import wire_pb2

_FIRST_BUCKETS = 1024


class HeapWhen(Enum):
    """The moment at which memory in use is shown."""

    LIVE = "live"  # the last report
    AS_OF_FULL = "as of full"  # the end of the last full collection; before the first, as LIVE


class LiveHeap:
    """The state of all messages so far. The owner's lock guards all methods; the values that they
    return are immutable."""

    def __init__(self) -> None:
        self._node = GrowingColumn(np.int32)
        self._kind = GrowingColumn(np.int32)
        self._size = GrowingColumn(np.uint64)
        self._rate = GrowingColumn(np.uint64)
        self._labels = GrowingColumn(np.int32)
        # allocs, alloc_bytes, frees, free_bytes of each bucket: now, and at the last full
        # collection
        self._live = np.zeros((N_SUMS, _FIRST_BUCKETS), dtype=np.int64)
        self._full = np.zeros((N_SUMS, _FIRST_BUCKETS), dtype=np.int64)
        self._changed: list[Int32s] = []  # buckets that changed since the last status
        self._history = HeapHistory()
        self._since_ns: int | None = None  # time of the last ``clear``; None = never
        self._is_joined = False  # see ``start``
        self.status: wire_pb2.HeapStatus | None = None  # the last status; immutable

    def __len__(self) -> int:
        return self._node.n_rows

    # -- messages

    def start(self, is_joined: bool) -> None:
        """Begin a session. ``is_joined``: it began before the client connected."""
        self._is_joined = is_joined

    def add(self, message: wire_pb2.Heap, n_nodes: int, labels: LiveLabels) -> None:
        """Add buckets and sums; ``n_nodes`` stacks are defined. Raises WireError."""
        self._define(message, n_nodes, labels)
        now = (
            message.value_allocs,
            message.value_alloc_bytes,
            message.value_frees,
            message.value_free_bytes,
        )
        as_of_full = (
            message.value_full_allocs,
            message.value_full_alloc_bytes,
            message.value_full_frees,
            message.value_full_free_bytes,
        )
        check_equal(message.value_bucket, *now, *as_of_full)
        if not message.value_bucket:
            return
        buckets = _read(message.value_bucket, np.int64)
        if int(buckets.max()) >= len(self):
            raise WireError("a message has sums of an undefined bucket")
        live, full = _read_sums(*now), _read_sums(*as_of_full)
        self._live[:, buckets], self._full[:, buckets] = live, full
        self._changed.append(buckets.astype(np.int32))

    def add_status(self, status: wire_pb2.HeapStatus) -> None:
        """Store a status. Its time becomes the time of all changes since the last one. Raises
        WireError."""
        if min(status.time_mono_ns, status.full_mono_ns) < 0:
            raise WireError("a heap status has a negative time")
        self.status = wire_pb2.HeapStatus.FromString(status.SerializeToString())
        if self._changed:
            changed = np.unique(np.concatenate(self._changed))
            self._changed = []
            self._history.add(status.time_mono_ns, changed, self._live[:, : len(self)])

    def clear(self) -> None:
        """Count allocations from now on. The memory in use stays as it is."""
        self._since_ns = self.status.time_mono_ns if self.status is not None else None

    # -- captures

    def view_buckets(self) -> HeapBuckets:
        return HeapBuckets(
            self._node.view(),
            self._kind.view(),
            self._size.view(),
            self._rate.view(),
            self._labels.view(),
        )

    def take_sums(self, when: HeapWhen, at_ns: int | None) -> HeapSums:
        """Return the sums by ``when``, or if ``at_ns`` (CLOCK_MONOTONIC) is given the sums at that
        past moment."""
        if at_ns is not None:
            return self._history.at(at_ns, len(self))
        source = self._live if when is HeapWhen.LIVE else self._full
        return make_sums(source[:, : len(self)], len(self))

    def take_since(self, span_ns: int | None, end_ns: int) -> tuple[HeapSums | None, int]:
        """Return the sums to subtract from allocations, None = none; and the length of the span,
        ns. ``span_ns``: the requested length; None = since the last ``clear``, or else since the
        session's start. If the session began before the client connected, no span begins before
        the first report."""
        begin_ns = self._since_ns
        if span_ns is not None:
            begin_ns = max(end_ns - span_ns, begin_ns or 0)
        first_ns = self._history.first_ns
        if first_ns is None:
            return None, 0
        if self._is_joined:
            begin_ns = max(begin_ns or 0, first_ns)  # earlier records have no times of their own
        if begin_ns is None:
            return None, max(end_ns - first_ns, 0)
        sums = self._history.at(begin_ns, len(self))
        return sums, max(end_ns - max(begin_ns, first_ns), 0)

    @property
    def cleared_ns(self) -> int | None:
        """Time, CLOCK_MONOTONIC, from which on allocations count since the last ``clear``; None =
        there was none."""
        return self._since_ns

    @property
    def exact_from_ns(self) -> int:
        """Time, CLOCK_MONOTONIC, from which on all reported moments are known. Earlier moments may
        be merged."""
        return self._history.exact_from_ns

    def list_times(self) -> list[int]:
        """Return the moments with known sums, ns, CLOCK_MONOTONIC, ascending."""
        return self._history.times_ns

    def _define(self, message: wire_pb2.Heap, n_nodes: int, labels: LiveLabels) -> None:
        check_equal(
            message.bucket_node, message.bucket_kind, message.bucket_size, message.bucket_rate
        )
        if not message.bucket_node and not message.bucket_labels:
            return
        nodes = _read(message.bucket_node, np.int64)
        if len(nodes) and int(nodes.max()) >= n_nodes:
            raise WireError("a bucket refers to an undefined stack")
        columns = (
            nodes,
            _read(message.bucket_kind, np.int64),
            _read(message.bucket_size, np.uint64),
            _read(message.bucket_rate, np.uint64),
            labels.number(read_references(message.bucket_labels, len(nodes))),
        )
        check_equal(*columns)
        self._node.extend(columns[0])
        self._kind.extend(columns[1])
        self._size.extend(columns[2])
        self._rate.extend(columns[3])
        self._labels.extend(columns[4])
        self._live, self._full = (_widen(sums, len(self)) for sums in (self._live, self._full))


def _read(values: Sequence[int], kind: type[np.int64] | type[np.uint64]) -> Int64s:
    column: Int64s = np.fromiter(values, dtype=kind, count=len(values))
    return column


def _read_sums(*columns: Sequence[int]) -> Int64s:
    """Return sums as (4, n). Raises WireError if a bucket has more frees than allocations."""
    sums = np.array(read_columns(*columns))
    if np.any(sums[FREES] > sums[ALLOCS]) or np.any(sums[FREE_BYTES] > sums[ALLOC_BYTES]):
        raise WireError("more was freed in a bucket than was allocated")
    return sums


def _widen(sums: Int64s, n_buckets: int) -> Int64s:
    """Return sums with room for ``n_buckets``: the same array, or a larger copy."""
    if n_buckets <= sums.shape[1]:
        return sums
    wider = np.zeros((N_SUMS, max(n_buckets, 2 * sums.shape[1])), dtype=np.int64)
    wider[:, : sums.shape[1]] = sums
    return wider
