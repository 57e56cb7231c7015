"""The heap of a session: what is in use, in both views, at any moment, since a span or a clear."""

from __future__ import annotations

import numpy as np
import pytest

from harness.heap_talk import START_NS, HeapTalk, S
from stackglass.errors import WireError
from stackglass_viewer.model.heap import history as heap_history
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.heap.snapshot import HeapMoment, sum_heap, value_buckets
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, Heap, HeapStatus

KIB = 1024

Row = tuple[
    int, ...
]  # bucket, allocs, bytes, frees, bytes and, if they differ, the same as of full


def start(connected_mono_ns: int = 0) -> LiveProfile:
    """A session with the tree root → f (lines 1, 2) → g; see ``define``."""
    return HeapTalk(connected_mono_ns).live


def define(live: LiveProfile, *buckets: tuple[int, int]) -> None:
    """Buckets of (the engine's node, rate)."""
    nodes, rates = zip(*buckets, strict=True)
    live.apply(
        FromEngine(
            heap=Heap(
                bucket_node=nodes,
                bucket_kind=[0] * len(nodes),
                bucket_size=[1] * len(nodes),
                bucket_rate=rates,
            )
        )
    )


def send(live: LiveProfile, seconds: float, *rows: Row, full_s: float = 0) -> None:
    names = ("allocs", "alloc_bytes", "frees", "free_bytes")
    heap = Heap(value_bucket=[row[0] for row in rows])
    for i, name in enumerate(names):
        getattr(heap, f"value_{name}").extend(row[1 + i] for row in rows)
        full = 5 if rows and len(rows[0]) == 9 else 1
        getattr(heap, f"value_full_{name}").extend(row[full + i] for row in rows)
    live.apply(FromEngine(heap=heap))
    status = HeapStatus(
        time_mono_ns=START_NS + round(seconds * S),
        full_mono_ns=START_NS + round(full_s * S) if full_s else 0,
        rate=1,
    )
    live.apply(FromEngine(heap_status=status))


def sums(moment: HeapMoment) -> list[int]:
    """Totals of the four values."""
    return [int(sum_heap(moment, column).total[0]) for column in HeapColumn]


def test_nodes_have_what_ends_at_them() -> None:
    live = start()
    define(live, (1, 1), (2, 1), (3, 1))
    send(live, 1, (0, 4, 400, 1, 100), (1, 1, 50, 0, 0), (2, 2, 20, 2, 20))
    moment = live.heap.capture()
    values = sum_heap(moment, HeapColumn.INUSE_SPACE)
    assert values.unit == "bytes"
    assert values.own.tolist()[2:] == [350, 0]  # f by both lines, g
    assert values.total.tolist() == [350, 0, 350, 0]  # <lost samples> is node 1
    assert sums(moment) == [7, 470, 4, 350]


@pytest.mark.checklist(40, 41)
def test_vectors_of_the_specification() -> None:
    """Checklist 40, 41."""
    live = start()
    rate = 512 * KIB
    define(live, (1, rate), (1, rate), (1, rate), (1, 1), (1, 0))
    rows = [(0, 4, 4096), (1, 3, 3072), (2, 1, rate), (3, 7, 77), (4, 7, 77)]
    send(live, 1, *((*row, 0, 0) for row in rows))
    columns = value_buckets(live.heap.capture()).columns
    expected = [[2050, 1537, 1, 7, 7], [2099200, 1574400, 829411, 77, 77]]
    assert columns.tolist() == expected * 2


def test_each_sample_is_scaled_with_the_rate_it_was_taken_at() -> None:
    live = start()
    define(live, (1, 1), (1, 4096))
    send(live, 1, (0, 1, 100, 0, 0), (1, 1, 100, 0, 0))
    columns = value_buckets(live.heap.capture()).columns
    assert columns[HeapColumn.INUSE_SPACE].tolist() == [100, 4146]


def test_as_of_the_last_full_collection() -> None:
    live = start()
    define(live, (1, 1))
    send(live, 3, (0, 9, 900, 2, 200, 5, 500, 1, 100), full_s=1)
    assert sums(live.heap.capture()) == [9, 900, 7, 700]
    moment = live.heap.capture(HeapWhen.AS_OF_FULL)
    assert sums(moment) == [5, 500, 4, 400]
    assert moment.full_age_ns == 2 * S


def test_no_full_collection_has_no_age() -> None:
    live = start()
    assert live.heap.capture().full_age_ns is None
    assert sums(live.heap.capture()) == [0, 0, 0, 0]


def test_any_moment_can_be_asked_for() -> None:
    live = start()
    define(live, (1, 1))
    send(live, 1, (0, 1, 10, 0, 0))
    send(live, 2, (0, 5, 50, 0, 0))
    define(live, (2, 1))
    send(live, 3, (1, 1, 7, 0, 0), (0, 6, 60, 6, 60))
    talk = {}
    for tenth in (5, 10, 19, 20, 30, 99):
        moment = live.heap.capture(at_ns=START_NS + tenth * S // 10)
        assert len(moment.buckets) == len(moment.sums) == 2
        talk[tenth] = int(sum_heap(moment, HeapColumn.INUSE_SPACE).total[0])
    assert talk == {5: 0, 10: 10, 19: 10, 20: 50, 30: 7, 99: 7}
    assert live.heap.list_times() == [START_NS + n * S for n in (1, 2, 3)]


def test_a_span_counts_its_allocations_and_all_that_is_in_use() -> None:
    live = start()
    define(live, (1, 1))
    send(live, 1, (0, 10, 100, 0, 0))
    send(live, 20, (0, 12, 120, 1, 10))
    assert sums(live.heap.capture(span_ns=10 * S)) == [2, 20, 11, 110]
    assert sums(live.heap.capture()) == [12, 120, 11, 110]


def test_clear_forgets_allocations_and_not_what_is_in_use() -> None:
    live = start()
    define(live, (1, 1))
    send(live, 1, (0, 10, 100, 4, 40))
    live.clear()
    assert sums(live.heap.capture()) == [0, 0, 6, 60]
    send(live, 2, (0, 11, 110, 4, 40))
    assert sums(live.heap.capture()) == [1, 10, 7, 70]
    assert sums(live.heap.capture(span_ns=60 * S)) == [1, 10, 7, 70]


def test_who_joins_late_does_not_take_the_past_for_the_present() -> None:
    live = start(connected_mono_ns=START_NS + 100 * S)
    define(live, (1, 1))
    send(live, 100.1, (0, 1000, 10_000, 0, 0))
    send(live, 101, (0, 1001, 10_010, 0, 0))
    assert sums(live.heap.capture(span_ns=10 * S)) == [1, 10, 1001, 10_010]
    moment = live.heap.capture()
    assert sums(moment) == [1, 10, 1001, 10_010], "as of the samples: since it joined"
    assert moment.span_ns == 900_000_000


def test_a_moment_stays_what_it_was() -> None:
    live = start()
    define(live, (1, 1))
    send(live, 1, (0, 1, 10, 0, 0))
    before = live.heap.capture()
    send(live, 2, (0, 2, 20, 0, 0))
    assert sums(before) == [1, 10, 1, 10]


def test_history_keeps_its_bounds_and_its_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap_history, "_MAX_ROWS", 400)
    monkeypatch.setattr(heap_history, "_MIN_ROWS_BETWEEN", 30)
    live = start()
    n_buckets = 20
    define(live, *[(1, 1)] * n_buckets)
    for second in range(1, 500):
        bucket = second % n_buckets
        send(live, second, (bucket, second, second, 0, 0), ((bucket + 7) % 20, second, 0, 0, 0))
    times = live.heap.list_times()
    assert len(times) < 300
    assert times == sorted(times)
    recent = np.zeros(n_buckets, dtype=np.int64)
    for second in range(1, 500):
        recent[second % n_buckets] = recent[(second + 7) % n_buckets] = second
        if START_NS + second * S in times:
            moment = live.heap.capture(at_ns=START_NS + second * S)
            assert moment.sums.columns[0].tolist() == recent.tolist()


@pytest.mark.parametrize(
    "heap",
    [
        Heap(bucket_node=[4], bucket_kind=[0], bucket_size=[1], bucket_rate=[1]),
        Heap(bucket_node=[1], bucket_kind=[0], bucket_size=[1]),
        Heap(value_bucket=[0]),
        Heap(
            value_bucket=[1],
            value_allocs=[1],
            value_alloc_bytes=[1],
            value_frees=[0],
            value_free_bytes=[0],
            value_full_allocs=[1],
            value_full_alloc_bytes=[1],
            value_full_frees=[0],
            value_full_free_bytes=[0],
        ),
        Heap(
            value_bucket=[0],
            value_allocs=[1],
            value_alloc_bytes=[1],
            value_frees=[2],
            value_free_bytes=[0],
            value_full_allocs=[1],
            value_full_alloc_bytes=[1],
            value_full_frees=[0],
            value_full_free_bytes=[0],
        ),
        Heap(
            value_bucket=[0],
            value_allocs=[2**63],
            value_alloc_bytes=[1],
            value_frees=[0],
            value_free_bytes=[0],
            value_full_allocs=[1],
            value_full_alloc_bytes=[1],
            value_full_frees=[0],
            value_full_free_bytes=[0],
        ),
    ],
)
def test_what_makes_no_sense_is_refused(heap: Heap) -> None:
    live = start()
    define(live, (1, 1))
    with pytest.raises(WireError):
        live.apply(FromEngine(heap=heap))
