"""The order of events: blocks that overlap, equal times, pieces."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.traced_memory import INFO, ListedSource, make_events, read_trace
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace import event_order
from stackglass_viewer.model.memory_trace.event_order import EventOrder
from stackglass_viewer.model.memory_trace.events import join_events
from stackglass_viewer.model.memory_trace.live_blocks import Moment, Space
from stackglass_viewer.model.memory_trace.trace import MemoryTrace


def make_lanes(seed: int, n: int = 500) -> tuple[ListedSource, list[tuple[int, int]]]:
    """Lanes whose blocks overlap; and (time, address) in the right order."""
    rng = random.Random(seed)
    blocks, expected = [], []
    for lane in range(4):
        time_ns = 0
        for _ in range(rng.randrange(1, 6)):
            rows = []
            for _ in range(rng.randrange(1, n // 10)):
                time_ns += rng.choice((0, 0, 1, 3))
                rows.append({"kind": 132, "time_ns": time_ns, "address": rng.randrange(1 << 20)})
            blocks.append((lane, rows))
    rng.shuffle(blocks)
    blocks.sort(key=lambda each: each[1][0]["time_ns"] // 50)  # lanes of a generation, in any order
    for _, rows in blocks:
        expected += [(row["time_ns"], row["address"]) for row in rows]
    expected.sort(key=lambda each: each[0])  # stable
    return ListedSource([make_events(rows) for _, rows in blocks], read_trace("").names), expected


def list_pairs(source: ListedSource) -> list[tuple[int, int]]:
    events = join_events(list(EventOrder(source).sweep()))
    return list(zip(events.time_ns.tolist(), events.address.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_blocks_that_overlap_are_one_sequence_by_time(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 16)
    source, expected = make_lanes(seed)
    assert list_pairs(source) == expected


@pytest.mark.parametrize("seed", range(8))
def test_any_span_can_be_read_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 16)
    source, expected = make_lanes(seed)
    order = EventOrder(source)
    for after, until in ((-1, 20), (20, 21), (40, 90), (0, 10**9)):
        events = order.read(after, until)
        pairs = list(zip(events.time_ns.tolist(), events.address.tolist(), strict=True))
        assert pairs == [each for each in expected if after < each[0] <= until]


def test_pieces_end_between_two_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 4)
    source, _ = make_lanes(3)
    pieces = list(EventOrder(source).sweep())
    assert len(pieces) > 10
    for before, after in itertools.pairwise(pieces):
        assert before.time_ns[-1] < after.time_ns[0]


def test_events_of_one_lane_stay_in_their_order_at_one_time() -> None:
    source = read_trace("5 alloc 0x10 1\n5 free 0x10\n5 alloc 0x10 2\n--\n5 free 0x10")
    events = join_events(list(EventOrder(source).sweep()))
    assert events.kind.tolist() == [132, 133, 132, 133]


def test_a_block_with_other_times_than_its_index_says_is_damage() -> None:
    source = read_trace("5 alloc 0x10 1\n9 free 0x10")
    source.blocks = replace(source.blocks, last_ns=np.array([8]))
    with pytest.raises(ContentError, match="other times than its index says"):
        list(EventOrder(source).sweep())


def test_a_block_with_another_number_of_events_is_damage() -> None:
    source = read_trace("5 alloc 0x10 1\n9 free 0x10")
    source.blocks = replace(source.blocks, n_events=np.array([3]))
    with pytest.raises(ContentError, match="more or fewer events than its index says"):
        list(EventOrder(source).sweep())


def test_more_overlap_than_memory_holds_is_refused_before_anything_is_decoded() -> None:
    source = read_trace("5 alloc 0x10 1\n6 free 0x10\n--\n6 free 0x10")
    source.blocks = replace(source.blocks, n_events=np.array([1 << 24, 1]))
    with pytest.raises(ContentError, match="overlap in time"):
        EventOrder(source)
    assert source.n_decoded == 0


START = """
    5 span 0x100000 65536 domain=mmap
    5 object 0x100010 100 type=old
    5 object 0x100100 200
    5 object 0x100200 300
    5 object 0x100300 400
    5 stack 0x900000 4096
    5 span 0x300000 65536 domain=mmap
    5 span 0x400000 65536 domain=mmap
    --
    6 alloc 0x200000 8 at=f
    7 free 0x100010
    8 realloc 0x200100 50 at=f from=0x100100
    --
    8 type 0x100200 type=other
    8 recycled 0x100300
    9 free 0x100200
    9 free 0x200000
"""


def test_a_start_snapshot_that_memory_cannot_hold_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_order, "MOST_OVERLAPPING_EVENTS", 8)
    whole = MemoryTrace(read_trace(START), "x", folder=tmp_path)
    assert not whole.warnings
    assert whole.index.peak_bytes == 1008
    monkeypatch.setattr(event_order, "MOST_OVERLAPPING_EVENTS", 7)
    pieces = MemoryTrace(read_trace(START), "x", folder=tmp_path)
    assert not pieces.warnings  # it is read in pieces
    assert pieces.index.peak_bytes == 1008
    monkeypatch.setattr(event_order, "MOST_START_EVENTS", 7)
    trace = MemoryTrace(read_trace(START), "x", folder=tmp_path)
    (warning,) = trace.warnings
    assert warning.startswith("4 blocks from before the trace (1000 B) are left out, with their")
    assert trace.index.peak_bytes == 58
    assert trace.list_live(trace.index.end).address.tolist() == [0x200100]
    assert len(trace.list_live(trace.index.end, Space.STACK)) == 1
    assert len(trace.measure_spans(trace.index.end).size) == 0
    begin = trace.find_moment(5)
    assert trace.sum_allocations(begin, trace.index.end).size.tolist() == [58]
    for time_ns in range(5, 10):
        moment = trace.find_moment(time_ns)
        later = whole.find_moment(time_ns)
        own = whole.sum_survivors(Moment(0, 0), later)
        assert trace.sum_live(moment).size.sum() == own.size.sum(), time_ns


def test_what_was_left_out_is_not_decoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_order, "MOST_OVERLAPPING_EVENTS", 3)
    monkeypatch.setattr(event_order, "MOST_START_EVENTS", 2)
    source = read_trace("5 object 0x10 1\n5 object 0x20 1\n--\n5 object 0x30 1\n--\n5 alloc 0x40 1")
    order = EventOrder(source)
    assert len(join_events(list(order.sweep()))) == 1
    n_decoded = source.n_decoded
    assert len(order.read(0, 9)) == 1
    assert source.n_decoded == n_decoded + 1
    assert order.left_out == (3, 3)


def test_more_than_a_snapshot_at_one_moment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_order, "MOST_OVERLAPPING_EVENTS", 7)
    late = read_trace(START.replace("9 free 0x200000", "9 free 0x200000\n9 free 0x200010"))
    with pytest.raises(ContentError, match="overlap in time"):
        EventOrder(late)
    of_go = read_trace(START, replace(INFO, has_stacks=False))
    with pytest.raises(ContentError, match="overlap in time"):
        EventOrder(of_go)
    births = START.replace("5 object", "5 alloc").replace("span", "alloc")
    with pytest.raises(ContentError, match="overlap in time"):
        list(EventOrder(read_trace(births)).read_start())
    monkeypatch.setattr(event_order, "MOST_START_EVENTS", 7)
    with pytest.raises(ContentError, match="overlap in time"):
        list(EventOrder(read_trace(births)).sweep())
