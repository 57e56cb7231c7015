"""Fill of arenas and pools at a moment: how much of their memory is used by live objects.

CPython returns an arena to the system when its last object is freed, and a pool serves one size
class until it is empty. So a few objects may pin much memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, UInt64s, freeze
from stackglass_viewer.model.memory_trace.events import Domain, UInt8s
from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks
from stackglass_viewer.model.memory_trace.source import TraceInfo

PINNED_FILL = 0.25
"""A span with objects is pinned if these hold less than this share of it."""
WHOLE_SPAN = (1 << 32) - 1
"""Stands in place of a Go span's slot size if one object fills the span."""
_POOL_HEAD_BYTES = 48  # CPython's POOL_OVERHEAD
_MOST_POOL_SIZE = 512  # CPython's SMALL_REQUEST_THRESHOLD; larger blocks come from malloc
_CLASS_BYTES = 16  # CPython's ALIGNMENT: size classes are its multiples


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Arenas, mappings and other regions at a moment: one row each, by address. Immutable."""

    address: UInt64s  # (n,)
    size: UInt64s  # (n,) bytes
    domain: UInt8s  # (n,) Domain
    slot_bytes: Int64s  # (n,) size of the slots of a Go span; 0 = objects may have any size
    birth_ns: Int64s  # (n,)
    n_objects: Int64s  # (n,) objects that begin in the span
    live_bytes: Int64s  # (n,) sum of the sizes of these objects

    def __post_init__(self) -> None:
        freeze(
            self.address,
            self.size,
            self.domain,
            self.slot_bytes,
            self.birth_ns,
            self.n_objects,
            self.live_bytes,
        )

    def __len__(self) -> int:
        return len(self.address)

    @property
    def fill(self) -> npt.NDArray[np.float64]:
        """(n,) share of the span's bytes that objects hold."""
        return self.live_bytes / np.maximum(self.size.astype(np.float64), 1)

    @property
    def is_pinned(self) -> npt.NDArray[np.bool_]:
        """(n,) whether the span has objects, but they hold less than ``PINNED_FILL`` of it."""
        return (self.n_objects > 0) & (self.fill < PINNED_FILL)


@dataclass(frozen=True, slots=True, eq=False)
class Pools:
    """Pools of CPython, or spans of Go with slots: one row each, by address. Immutable."""

    address: UInt64s  # (n,)
    size_class: Int64s  # (n,) bytes that each object takes
    n_objects: Int64s  # (n,)
    live_bytes: Int64s  # (n,) sum of the requested sizes of its objects
    capacity: Int64s  # (n,) number of objects that fit

    def __post_init__(self) -> None:
        freeze(self.address, self.size_class, self.n_objects, self.live_bytes, self.capacity)

    def __len__(self) -> int:
        return len(self.address)


_NO_POOLS = Pools(np.empty(0, np.uint64), *(np.empty(0, np.int64) for _ in range(4)))


class ClassFill(NamedTuple):
    """The pools of one size class."""

    size_class: int
    n_pools: int
    n_objects: int
    live_bytes: int
    pool_bytes: int  # bytes that the pools have for objects
    free_share: float  # share of the slots that are free
    n_needed: int  # number of pools that would suffice for the objects


def read_slots(spans: LiveBlocks) -> Int64s:
    """Return the size of the slots of each Go span: (n,) bytes; 0 = the span has no slots."""
    size, slot = spans.size.astype(np.int64), spans.stack.astype(np.int64)
    slots = np.where(spans.stack == WHOLE_SPAN, size, slot)
    return np.where(spans.domain == Domain.GO_SPAN, slots, 0)


def measure_spans(spans: LiveBlocks, parts: Iterable[LiveBlocks]) -> Spans:
    """Measure how full spans are. ``parts``: all objects, as MemoryTrace.walk_live yields them."""
    n_objects, live_bytes = (np.zeros(len(spans), dtype=np.int64) for _ in range(2))
    for objects in parts:
        sums = np.concatenate(([0], np.cumsum(objects.size.astype(np.int64))))
        begin = np.searchsorted(objects.address, spans.address)
        end = np.searchsorted(objects.address, spans.address + spans.size)
        n_objects += end - begin
        live_bytes += sums[end] - sums[begin]
    return Spans(
        address=spans.address,
        size=spans.size,
        domain=spans.domain,
        slot_bytes=read_slots(spans),
        birth_ns=spans.birth_ns,
        n_objects=n_objects,
        live_bytes=live_bytes,
    )


def measure_pools(spans: Spans, parts: Iterable[LiveBlocks], info: TraceInfo) -> Pools:
    """Measure how full pools are. Pools of CPython are found by the objects in them. ``parts``: all
    objects, as ``MemoryTrace.walk_live`` yields them."""
    is_slotted = spans.slot_bytes > 0
    if is_slotted.any():
        size_class = spans.slot_bytes[is_slotted]
        return Pools(
            spans.address[is_slotted],
            size_class,
            spans.n_objects[is_slotted],
            spans.live_bytes[is_slotted],
            np.maximum(spans.size[is_slotted].astype(np.int64) // size_class, 1),
        )
    found = [_find_pools(objects, info) for objects in parts] or [_NO_POOLS]
    return Pools(
        *(np.concatenate([getattr(each, field.name) for each in found]) for field in fields(Pools))
    )


def _find_pools(objects: LiveBlocks, info: TraceInfo) -> Pools:
    """Return the pools of CPython that hold these objects, sorted by address. A pool begins at a
    multiple of its size; its size class is taken to be that of its largest object."""
    pool_bytes = info.pool_bytes
    is_small = np.isin(objects.domain, (Domain.MEM, Domain.OBJ))
    is_small &= (objects.size <= _MOST_POOL_SIZE) & (pool_bytes > 0)
    pooled = objects.take(is_small)
    pool = pooled.address // np.uint64(max(pool_bytes, 1))
    first = np.flatnonzero(
        np.concatenate((np.ones(min(len(pool), 1), bool), pool[1:] != pool[:-1]))
    )
    if not len(first):
        return _NO_POOLS
    sizes = pooled.size.astype(np.int64)
    largest = np.maximum.reduceat(np.maximum(sizes, 1), first)
    size_class = -(-largest // _CLASS_BYTES) * _CLASS_BYTES
    return Pools(
        pool[first] * np.uint64(pool_bytes),
        size_class,
        np.diff(np.append(first, len(pool))),
        np.add.reduceat(sizes, first),
        (pool_bytes - _POOL_HEAD_BYTES) // size_class,
    )


def sum_classes(pools: Pools) -> list[ClassFill]:
    """Return the fragmentation by size class, the most free bytes first."""
    rows = []
    for size_class in np.unique(pools.size_class).tolist():
        is_of = pools.size_class == size_class
        n_objects, capacity = int(pools.n_objects[is_of].sum()), int(pools.capacity[is_of].sum())
        per_pool = max(int(pools.capacity[is_of].max()), 1)
        rows.append(
            ClassFill(
                size_class=size_class,
                n_pools=int(is_of.sum()),
                n_objects=n_objects,
                live_bytes=int(pools.live_bytes[is_of].sum()),
                pool_bytes=capacity * size_class,
                free_share=max(1 - n_objects / capacity, 0.0) if capacity else 0.0,
                n_needed=-(-n_objects // per_pool),
            )
        )
    return sorted(rows, key=lambda row: -(row.pool_bytes * row.free_share))
