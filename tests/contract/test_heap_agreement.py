"""The core and the viewer unsample a heap to the same integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass.wire.heap_recording import unsample as unsample_in_core
from stackglass_viewer.model.heap.buckets import HeapBuckets, HeapSums, unsample

COUNT = st.one_of(st.integers(0, 100), st.integers(0, 2**40))
SIZE = st.one_of(st.integers(0, 5000), st.integers(0, 2**50))
RATE = st.one_of(st.integers(0, 3), st.integers(0, 2**23), st.just(2**19))


@st.composite
def buckets(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """allocs, bytes, frees, bytes, rate."""
    allocs, size_bytes = draw(COUNT), draw(SIZE)
    frees, free_bytes = draw(st.integers(0, allocs)), draw(st.integers(0, size_bytes))
    return allocs, size_bytes, frees, free_bytes, draw(RATE)


@pytest.mark.checklist(40, 41)
@given(st.lists(buckets(), max_size=20))
def test_the_same_integers(rows: list[tuple[int, int, int, int, int]]) -> None:
    """Checklist 40, 41: whatever was sampled, at whatever rate."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    n = len(rows)
    values = unsample(
        HeapBuckets(
            node=np.zeros(n, dtype=np.int32),
            kind=np.zeros(n, dtype=np.int32),
            size_bytes=np.ones(n, dtype=np.uint64),
            rate=table[4].astype(np.uint64),
            labels=np.zeros(n, dtype=np.int32),
        ),
        HeapSums(np.ascontiguousarray(table[:4])),
    )
    expected = [
        (
            *unsample_in_core(allocs, size_bytes, rate),
            *unsample_in_core(allocs - frees, size_bytes - free_bytes, rate),
        )
        for allocs, size_bytes, frees, free_bytes, rate in rows
    ]
    assert list(map(tuple, values.columns.T.tolist())) == expected
