"""Objects that are there as a trace begins: kept apart, and shown as all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.traced_memory import ListedSource, make_events, read_trace
from stackglass_viewer.model.memory_trace import trace as trace_module
from stackglass_viewer.model.memory_trace.events import DTYPES, EventColumns, EventKind
from stackglass_viewer.model.memory_trace.fill import measure_pools
from stackglass_viewer.model.memory_trace.live_blocks import BlockFlag, Moment
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

START = """
    5 object 0x1000 16 type=dict
    5 object 0x2000 16
    5 object 0x8000 20000 type=bytes
    5 span 0x100000 65536
    --
    5 object 0x4000 16 type=list
    --
    5 alloc 0x5000 8 type=set
    6 type 0x2000 type=str
    7 recycled 0x1000
    8 type 0x1000 type=tuple
    9 type 0x4000 type=deque
    10 free 0x4000
    11 realloc 0x2000 32 from=0x2000
    12 free 0x1000
    13 free 0x2000
"""


@pytest.fixture
def trace(tmp_path: Path) -> MemoryTrace:
    return MemoryTrace(read_trace(START), "x", folder=tmp_path)


def _list_types(trace: MemoryTrace, event: int) -> dict[int, str]:
    live = trace.list_live(Moment(event, 0))
    names = map(trace.names.name_type, live.type.tolist())
    return dict(zip(live.address.tolist(), names, strict=True))


def test_small_objects_of_the_snapshot_are_no_rows_of_a_checkpoint(trace: MemoryTrace) -> None:
    assert trace.index.start.find(0x1000) == (0, 7)  # it got another type there
    assert trace.index.start.find(0x2000) == (1, 11)
    assert trace.index.start.find(0x8000) is None  # larger than a granule
    assert trace.index.start.find(0x4000) == (4, 9)
    assert trace.index.start.find(0x5000) is None
    assert trace.index.start.find(0x4008) is None


def test_types_hold_from_where_they_are_proven(trace: MemoryTrace) -> None:
    before = {0x1000: "dict", 0x2000: "str", 0x8000: "bytes", 0x4000: "list"}
    assert _list_types(trace, 5) == before
    assert _list_types(trace, 7) == {**before, 0x5000: "set"}
    assert _list_types(trace, 8)[0x1000] == ""  # recycled: not the older type
    assert _list_types(trace, 10) == {**before, 0x5000: "set", 0x1000: "tuple", 0x4000: "deque"}
    after = {0x1000: "tuple", 0x2000: "str", 0x8000: "bytes", 0x5000: "set"}
    assert _list_types(trace, 12) == after


@pytest.mark.parametrize(
    ("address", "death_ns", "kind"),
    [
        (0x1000, 12, EventKind.OBJECT_FREE),
        (0x2000, 11, EventKind.REALLOC),
        (0x8000, None, None),
        (0x4000, 10, EventKind.OBJECT_FREE),
    ],
)
def test_a_click_says_when_it_ended(
    trace: MemoryTrace, address: int, death_ns: int | None, kind: EventKind | None
) -> None:
    (facts,) = trace.list_blocks(Moment(5, 5), address, address + 16)
    assert (facts.death_ns, facts.death_kind) == (death_ns, kind)
    assert facts.flags & BlockFlag.BORN_BEFORE
    assert facts.lifetime_ns is None


def test_a_block_that_is_resized_in_place_ends_once(trace: MemoryTrace) -> None:
    assert trace.index.troubles.n_overwritten == 0
    assert trace.index.lifetimes.n_born_before == 3  # 0x1000, 0x2000, 0x4000


def test_moments_within_the_snapshot_have_what_was_listed_until_then(trace: MemoryTrace) -> None:
    counts = [len(trace.list_live(Moment(event, 5))) for event in range(7)]
    assert counts == [0, 1, 2, 3, 3, 4, 5]
    sums = [int(trace.sum_live(Moment(event, 5)).n.sum()) for event in range(7)]
    assert sums == counts


def test_without_a_free_a_new_block_ends_the_one_before(tmp_path: Path) -> None:
    text = "5 object 0x1000 16\n--\n6 alloc 0x1000 32\n--\n7 free 0x1000\n8 free 0x1000"
    trace = MemoryTrace(read_trace(text), "x", folder=tmp_path)
    assert trace.index.troubles.n_overwritten == 1
    assert trace.index.troubles.n_unknown_frees == 1
    assert trace.list_live(Moment(2, 6)).size.tolist() == [32]


def test_two_objects_at_one_address_are_told(tmp_path: Path) -> None:
    text = "5 object 0x1000 16\n5 object 0x1000 32\n--\n6 alloc 0x2000 1"
    trace = MemoryTrace(read_trace(text), "x", folder=tmp_path)
    assert trace.index.troubles.n_overwritten == 1
    assert trace.list_live(Moment(1, 5)).size.tolist() == [16]
    assert trace.list_live(Moment(2, 5)).size.tolist() == [32]
    assert trace.index.start.find(0x1000) == (1, None)


def _open_many(folder: Path, n: int) -> tuple[MemoryTrace, EventColumns, EventColumns]:
    """Objects anywhere, in no order, and frees of most of them."""
    rng = np.random.default_rng(1)
    far = rng.integers(0, 1 << 44, n // 2, dtype=np.uint64)
    near = 0x7000_0000_0000 + np.arange(n - n // 2, dtype=np.uint64)
    address = rng.permutation(np.unique(np.concatenate((far, near)))) * np.uint64(16)
    start = {name: np.zeros(len(address), dtype=dtype) for name, dtype in DTYPES.items()}
    start["kind"][:] = EventKind.OBJECT
    start["address"][:] = address
    start["size"][:] = rng.integers(1, 17, len(address))
    start["type"][:] = rng.integers(0, 3, len(address))
    ends = {name: np.zeros(len(address) * 3 // 4, dtype=dtype) for name, dtype in DTYPES.items()}
    ends["kind"][:] = EventKind.OBJECT_FREE
    ends["time_ns"][:] = np.arange(1, len(ends["kind"]) + 1)
    ends["address"][:] = rng.permutation(address)[: len(ends["kind"])]
    first, then = EventColumns(**start), EventColumns(**ends)
    parts = [first.take(slice(at, at + 50_000)) for at in range(0, len(first), 50_000)]
    names: TraceNames = read_trace("").names
    return MemoryTrace(ListedSource([*parts, then], names), "x", folder=folder), first, then


def test_any_moment_of_many_is_that_of_their_frees(tmp_path: Path) -> None:
    trace, start, ends = _open_many(tmp_path, 150_000)
    assert trace.index.checkpoints[0].n_blocks == 0
    for n_freed in (0, 1, 65_535, 65_536, 65_537, len(ends)):
        is_live = ~np.isin(start.address, ends.address[:n_freed])
        sums = trace.sum_live(Moment(len(start) + n_freed, n_freed))
        for type_id in range(3):
            is_of = is_live & (start.type == type_id)
            assert int(sums.n[sums.type == type_id].sum()) == int(is_of.sum())
            assert int(sums.size[sums.type == type_id].sum()) == int(start.size[is_of].sum())
        live = trace.list_live(Moment(len(start) + n_freed, n_freed))
        assert live.address.tolist() == sorted(start.address[is_live].tolist())
    trace.close()


def test_parts_of_the_heap_are_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_module, "_PART_BLOCKS", 3)
    lines = [
        f"5 object {0x10_0000 * (1 + n // 4) + 0x4000 * (n % 4) + 64 * n} {16 + n}"
        for n in range(40)
    ]
    lines += ["5 span 0x200000 1048576", "5 span 0x500000 2097152", "--"]
    lines += [f"6 alloc {0x10_0000 * n + 32} 20" for n in range(1, 20)]
    trace = MemoryTrace(read_trace("\n".join(lines)), "x", folder=tmp_path)
    end = trace.index.end
    whole = trace.list_live(end)
    parts = list(trace.walk_live(end))
    assert len(parts) > 5
    assert np.concatenate([part.address for part in parts]).tolist() == whole.address.tolist()
    spans = trace.measure_spans(end)
    assert spans.n_objects.tolist() == [5, 10]
    whole_pools = measure_pools(spans, [whole], trace.info)
    pools = measure_pools(spans, trace.walk_live(end), trace.info)
    assert pools.address.tolist() == whole_pools.address.tolist()
    assert pools.n_objects.tolist() == whole_pools.n_objects.tolist()


def test_a_damaged_snapshot_of_many_kinds_is_no_snapshot(tmp_path: Path) -> None:
    first = [{"kind": int(EventKind.OBJECT), "time_ns": 5, "address": 16, "size": 8}]
    then = [{"kind": int(EventKind.OBJECT_FREE), "time_ns": 5, "address": 16}]
    listed = [make_events(first), make_events(then), make_events(first)]
    trace = MemoryTrace(ListedSource(listed, read_trace("").names), "x", folder=tmp_path)
    assert [len(trace.list_live(Moment(event, 5))) for event in range(4)] == [0, 1, 0, 1]
