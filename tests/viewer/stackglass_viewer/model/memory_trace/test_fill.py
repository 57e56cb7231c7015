"""Arenas and pools: fill, fragmentation, what pins them."""

from __future__ import annotations

from pathlib import Path

from harness.traced_memory import INFO, read_trace
from stackglass_viewer.model.memory_trace.fill import measure_pools, sum_classes
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

ARENA, POOL = 0x100000, 1 << 14


def open_text(text: str, folder: Path) -> MemoryTrace:
    return MemoryTrace(read_trace(text), "x", folder=folder)


def test_a_span_is_as_full_as_its_objects_are_large(tmp_path: Path) -> None:
    trace = open_text(
        f"""
        0 span {ARENA} {1 << 20} domain=mmap
        1 alloc {ARENA + 48} 512 domain=obj
        2 alloc {ARENA + (1 << 20) - 512} 512 domain=obj
        3 alloc {ARENA + (1 << 20)} 512 domain=raw
        """,
        tmp_path,
    )
    spans = trace.measure_spans(trace.index.end)
    assert spans.n_objects.tolist() == [2]
    assert spans.live_bytes.tolist() == [1024]
    assert spans.is_pinned.tolist() == [True]
    assert float(spans.fill[0]) == 1024 / (1 << 20)


def test_an_empty_span_is_not_pinned(tmp_path: Path) -> None:
    trace = open_text(f"0 span {ARENA} 4096\n1 alloc 0x10 16", tmp_path)
    assert trace.measure_spans(trace.index.end).is_pinned.tolist() == [False]


def test_pools_are_of_one_size_class(tmp_path: Path) -> None:
    lines = [f"{at} alloc {ARENA + 48 + 64 * at} {50 + at % 3} domain=obj" for at in range(10)]
    lines += [f"{20 + at} alloc {ARENA + POOL + 48 + 512 * at} 500 domain=mem" for at in range(31)]
    lines += [f"90 alloc {ARENA + 2 * POOL} 4000 domain=obj", "91 alloc 0x900000 64 domain=raw"]
    trace = open_text("\n".join(lines), tmp_path)
    live = trace.list_live(trace.index.end)
    pools = measure_pools(trace.measure_spans(trace.index.end), [live], INFO)
    assert pools.address.tolist() == [ARENA, ARENA + POOL]
    assert pools.size_class.tolist() == [64, 512]
    assert pools.n_objects.tolist() == [10, 31]
    assert pools.capacity.tolist() == [(POOL - 48) // 64, (POOL - 48) // 512]
    worst, full = sum_classes(pools)
    assert (worst.size_class, worst.n_needed, worst.n_pools) == (64, 1, 1)
    assert worst.free_share > 0.9
    assert full.free_share == 0.0
