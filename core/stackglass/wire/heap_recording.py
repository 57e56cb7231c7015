"""The heap of one session, as an engine reports it: buckets, their sums, the status.

A bucket's samples are scaled with the rate that they were taken at, so that a session in which
the rate was changed makes one profile. Buckets of one stack, size class and labels make one row,
as pprof wants them. The row's size is that of the class, so that it is the same in every file of a
session and ``pprof -base`` can subtract one file from another.
"""

from __future__ import annotations

from array import array
from enum import Enum

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _core
from stackglass.wire import messages
from stackglass.wire.bucket_recording import MAX_VALUE, BucketRecording
from stackglass.wire.definitions import Definitions
from stackglass.wire.pprof import LabelSet

_N_SUMS = 4
_NATIVE = 1  # kind of a bucket


class HeapView(Enum):
    """The moment whose memory in use is shown."""

    LIVE = "live"  # the last message
    AS_OF_FULL = "as of full"  # the end of the last full collection, as Go shows it


class HeapRow(NamedTuple):
    """What one stack allocated in blocks of one size, unsampled."""

    node: int
    size_bytes: int  # the largest of its size class
    labels: LabelSet  # the program's, of the threads that allocated
    alloc_objects: int
    alloc_bytes: int
    inuse_objects: int
    inuse_bytes: int


class Bucket(NamedTuple):
    """Samples of one stack, size class, rate and label set, as they were taken."""

    node: int
    size_bytes: int  # the largest of its size class
    rate: int
    labels: LabelSet  # as in HeapRow
    allocs: int
    alloc_bytes: int
    frees: int
    free_bytes: int


class HeapRecording(BucketRecording[messages.HeapStatus]):
    """The heap of a session as it is received. For one thread."""

    __slots__ = (
        "_definitions",
        "_kinds",
        "_label_sets",
        "_nodes",
        "_rates",
        "_sizes",
        "_sums",
        "has_native",
    )

    def __init__(self, definitions: Definitions, has_native: bool = True) -> None:
        """``definitions`` are those of the session, with its label sets. ``has_native`` False
        leaves out what libraries allocate past Python's allocators, even if another client
        requested it."""
        super().__init__()
        self.has_native = has_native
        self._definitions = definitions
        self._kinds = array("I")
        self._nodes = array("I")
        self._sizes = array("Q")
        self._rates = array("Q")
        self._label_sets = array("I")
        # allocs, alloc_bytes, frees, free_bytes: live, and then as of the last full collection
        self._sums = tuple(array("Q") for _ in range(2 * _N_SUMS))

    @property
    def problem(self) -> str:
        """Why there is no heap profile; empty = there is one, or will be."""
        return self.status.problem if self.status else ""

    def add(self, message: messages.Heap, n_nodes: int) -> None:
        """Add a message; ``n_nodes`` stacks are defined. Raises WireError."""
        if max(message.bucket_node, default=0) >= max(n_nodes, 1):
            raise WireError("a bucket refers to an undefined stack")
        self._kinds.extend(message.bucket_kind)
        self._nodes.extend(message.bucket_node)
        self._sizes.extend(message.bucket_size)
        self._rates.extend(message.bucket_rate)
        self._label_sets.extend(message.bucket_labels)
        for sums in self._sums:
            sums.extend([0] * len(message.bucket_node))
        if max(message.value_bucket, default=-1) >= len(self._nodes):
            raise WireError("a message has sums of an undefined bucket")
        columns = (
            message.value_allocs,
            message.value_alloc_bytes,
            message.value_frees,
            message.value_free_bytes,
            message.value_full_allocs,
            message.value_full_alloc_bytes,
            message.value_full_frees,
            message.value_full_free_bytes,
        )
        for column in columns:
            if max(column, default=0) > MAX_VALUE:
                raise WireError("a bucket's sum is longer than 63 bits")
        for freed, allocated in ((2, 0), (3, 1), (6, 4), (7, 5)):
            if any(f > a for f, a in zip(columns[freed], columns[allocated])):
                raise WireError("more was freed in a bucket than was allocated")
        for sums, values in zip(self._sums, columns):
            for bucket, value in zip(message.value_bucket, values):
                sums[bucket] = value

    def find_node(self, bucket: int) -> int:
        """Return the node of a bucket's stack. Raises WireError if the bucket is undefined."""
        if bucket >= len(self._nodes):
            raise WireError("a message refers to an undefined bucket")
        return self._nodes[bucket]

    def list_buckets(self, view: HeapView = HeapView.LIVE) -> list[Bucket]:
        """Return the buckets that have a sample in this view, in the order of their definition."""
        first = 0 if view is HeapView.LIVE else _N_SUMS
        columns = zip(
            self._kinds,
            self._label_sets,
            zip(self._nodes, self._sizes, self._rates),
            zip(*self._sums[first : first + _N_SUMS]),
        )
        return [
            Bucket._make((*key, self._definitions.list_labels(label_set), *sums))
            for kind, label_set, key, sums in columns
            if sums[0] and (self.has_native or kind != _NATIVE)
        ]

    def list_rows(self, view: HeapView = HeapView.LIVE) -> list[HeapRow]:
        """Return the buckets of this view, each unsampled with its own rate; those of equal stack,
        size and labels are added up."""
        sums: dict[tuple[int, int, LabelSet], list[int]] = {}
        for bucket in self.list_buckets(view):
            values = (
                *unsample(bucket.allocs, bucket.alloc_bytes, bucket.rate),
                *unsample(
                    bucket.allocs - bucket.frees,
                    bucket.alloc_bytes - bucket.free_bytes,
                    bucket.rate,
                ),
            )
            size_bytes = min(bucket.size_bytes, MAX_VALUE)
            row = sums.setdefault((bucket.node, size_bytes, bucket.labels), [0] * len(values))
            for i, value in enumerate(values):
                row[i] = min(row[i] + value, MAX_VALUE)
        return [
            HeapRow(node, size_bytes, labels, *row)
            for (node, size_bytes, labels), row in sums.items()
        ]


def unsample(objects: int, size_bytes: int, rate: int) -> tuple[int, int]:
    """Return the objects and bytes that samples stand for: both values times
    1/(1 - e^(-mean size/rate)), truncated."""
    scaled_objects, scaled_bytes = _core.heap_unsample(objects, size_bytes, rate)
    return min(scaled_objects, MAX_VALUE), min(scaled_bytes, MAX_VALUE)
