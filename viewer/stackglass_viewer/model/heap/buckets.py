"""Buckets of a heap profile as columns, and the estimates that their samples give.

A bucket collects the samples of one stack, size class, rate, allocator kind and label set. Its sums
count samples. The rate at which these were taken scales the sums to estimates of all allocations::

    HeapBuckets ┐
                ├─▶ unsample ─▶ HeapValues: alloc_objects, alloc_space, inuse_objects, inuse_space
    HeapSums ───┘
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt64s, freeze
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.native import _loops

N_SUMS = 4
ALLOCS, ALLOC_BYTES, FREES, FREE_BYTES = range(N_SUMS)
"""Rows of ``HeapSums.columns``."""


class HeapColumn(IntEnum):
    """Rows of ``HeapValues.columns``."""

    ALLOC_OBJECTS = 0
    ALLOC_SPACE = 1
    INUSE_OBJECTS = 2
    INUSE_SPACE = 3


HEAP_TYPES = (
    SampleType("alloc_objects", "count"),
    SampleType("alloc_space", "bytes"),
    SampleType("inuse_objects", "count"),
    SampleType("inuse_space", "bytes"),
)
"""Name and unit of each column in files, in the order of ``HeapColumn``."""


@dataclass(frozen=True, slots=True, eq=False)
class HeapBuckets:
    """One row per bucket; a bucket has the same row throughout a session. Immutable."""

    node: Int32s  # (n_buckets,) the engine's node where the stack ends
    kind: Int32s  # (n_buckets,) 0 = Python's allocators, 1 = malloc of native code
    size_bytes: UInt64s  # (n_buckets,) the largest size of the size class
    rate: UInt64s  # (n_buckets,) bytes: the rate at which its samples were taken
    labels: Int32s  # (n_buckets,) label set of the thread that allocated; 0 = none

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, slots=True, eq=False)
class HeapSums:
    """The sums of each bucket up to some moment. Immutable."""

    columns: Int64s  # (4, n_buckets) allocs, alloc_bytes, frees, free_bytes; unscaled

    def __len__(self) -> int:
        return int(self.columns.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class HeapValues:
    """Estimates of each bucket, scaled from its samples. Immutable."""

    columns: Int64s  # (4, n_buckets) by HeapColumn; objects and bytes


def make_sums(columns: Int64s, n_buckets: int) -> HeapSums:
    """Copy columns (4, n) into sums for ``n_buckets``, n or more. Further buckets have zeros."""
    whole = np.zeros((N_SUMS, n_buckets), dtype=np.int64)
    whole[:, : columns.shape[1]] = columns
    freeze(whole)
    return HeapSums(whole)


def unsample(buckets: HeapBuckets, sums: HeapSums, since: HeapSums | None = None) -> HeapValues:
    """Estimate values from samples, each bucket scaled by its rate.

    In use is allocated minus freed. ``since``: sums of an earlier moment, which are subtracted from
    the allocations only, not from the memory in use. All arguments have the same buckets. The
    results are exactly those of the core's ``heap_profile``. Any thread; runs without the GIL.
    """
    columns = np.empty((len(HeapColumn), len(buckets)), dtype=np.int64)
    allocated = sums.columns[:FREES]
    if since is not None:
        allocated = np.maximum(allocated - since.columns[:FREES], 0)
    in_use = sums.columns[:FREES] - sums.columns[FREES:]
    for (objects, size_bytes), first in (
        (allocated, HeapColumn.ALLOC_OBJECTS),
        (in_use, HeapColumn.INUSE_OBJECTS),
    ):
        _loops.unsample(objects, size_bytes, buckets.rate, columns[first], columns[first + 1])
    freeze(columns)
    return HeapValues(columns)
