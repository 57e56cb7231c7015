"""Common parts of the probes of the heap profiler: a session, and rows with names."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, NamedTuple

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

__all__ = ["HEADER", "Heap", "Row", "Sums", "add", "core", "count_negative", "name_of", "report"]


core = load_core()
HEADER = sys.getsizeof(b"")  # a bytes object of n is one block of HEADER + n


class Sums(NamedTuple):
    allocs: int = 0
    alloc_bytes: int = 0
    frees: int = 0
    free_bytes: int = 0

    @property
    def in_use(self) -> tuple:
        return (self.allocs - self.frees, self.alloc_bytes - self.free_bytes)

    @property
    def total(self) -> tuple:
        return (self.allocs, self.alloc_bytes)


class Row(NamedTuple):
    """A bucket with names in place of numbers."""

    bucket: int
    kind: int
    rate: int
    size: int
    names: tuple  # leaf first
    lastis: tuple
    live: Sums
    as_of_full: Sums
    labels: int


class Heap:
    """A session; a context manager."""

    def __init__(self, rate: int, depth: int = 0) -> None:
        self._rate = rate
        self._depth = depth

    def __enter__(self) -> Heap:
        refusal = core.cpu_prepare() or core.heap_prepare(time.monotonic_ns(), self._depth)
        assert refusal is None, refusal
        core.heap_set_rate(self._rate)
        return self

    def __exit__(self, *error: object) -> None:
        core.heap_unprepare()
        core.cpu_unprepare()

    def pause(self) -> None:
        """Stop sampling from the next allocation on, which is made here; frees still count."""
        core.heap_set_rate(0)
        bytes(10_000)

    def read(self, only_changed: bool = False) -> list:
        core.heap_adopt()
        rows = [
            Row(
                *bucket[:4],
                tuple(name_of(code) for code, _ in bucket[4]),
                tuple(lasti for _, lasti in bucket[4]),
                Sums(*bucket[5]),
                Sums(*bucket[6]),
                bucket[7],
            )
            for bucket in core.heap_read(only_changed)
        ]
        core.heap_disown()
        return rows

    def site(self, name: str, least_bytes: int = 1, view: str = "live") -> Sums:
        """Return the sums of allocations of at least ``least_bytes`` whose leaf is ``name``."""
        return add(
            getattr(row, view)
            for row in self.read()
            if row.names[:1] == (name,) and row.size >= least_bytes
        )


def add(sums: Any) -> Sums:
    return Sums(*(sum(column) for column in zip(Sums(), *sums)))


def name_of(code_id: int) -> str:
    name = core.pseudo_name(code_id)
    if name is None:
        code = core.code_alive(code_id)
        name = code.co_name if code else "?"
    return name


def count_negative(rows: list) -> int:
    """Return the number of buckets with negative values in use, in either view."""
    return sum(
        min(*row.live.in_use, *row.as_of_full.in_use) < 0 or row.as_of_full.allocs > row.live.allocs
        for row in rows
    )
