"""Tables of addresses and pages: no file can be made to put all keys into one slot."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from stackglass_viewer.model.columns.index import UInt64s
from stackglass_viewer.model.memory_trace.events import EventKind
from stackglass_viewer.model.memory_trace.go_pages import SpanPages
from stackglass_viewer.native import _loops

N = 20_000
NUMBER = np.arange(N, dtype=np.uint64)
MOST_TIMES_LONGER = 40
"""A table in which all keys meet takes hundreds of times as long; caches explain far less."""


def enter_addresses(address: UInt64s) -> None:
    small = np.zeros(N, dtype=np.uint32)
    _loops.Replay(77, 0, 1, 1).apply(
        np.full(N, EventKind.OBJECT_ALLOC, dtype=np.uint8),
        np.zeros(N, dtype=np.int64),
        *(small, address, np.full(N, 16, dtype=np.uint64), small, small),
        np.zeros(N, dtype=np.uint8),
        np.zeros(N, dtype=np.uint64),
    )


def enter_pages(page: UInt64s) -> None:
    kind = np.full(N, EventKind.SPAN, dtype=np.uint8)
    size = np.ones(N, dtype=np.uint64)
    SpanPages(1).size_objects(kind, page.copy(), size, np.ones(N, dtype=np.uint32))


def measure(work: Callable[[UInt64s], None], keys: UInt64s) -> float:
    """The CPU time of the fastest of three runs, in seconds."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        work(keys)
        times.append(time.process_time() - begin)
    return min(times)


def invert(hashes: UInt64s) -> UInt64s:
    """The keys that have these hashes if only the constant multiplies them."""
    return hashes * np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))


@pytest.mark.parametrize(
    ("work", "keys"),
    [
        (enter_addresses, NUMBER << np.uint64(48)),
        (enter_pages, invert(NUMBER << np.uint64(48) | NUMBER << np.uint64(16))),
    ],
)
def test_keys_chosen_by_a_file_do_not_meet(work: Callable[[UInt64s], None], keys: UInt64s) -> None:
    usual = measure(work, NUMBER)
    assert measure(work, keys) < MOST_TIMES_LONGER * max(usual, 0.001)
