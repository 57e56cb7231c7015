"""Arenas in lines, and how full their cells are."""

from __future__ import annotations

from pathlib import Path

from harness.shop_trace import ARENA, PEAK_NS, open_shop
from harness.traced_memory import read_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.address_space import (
    CELLS,
    UNUSED,
    describe_line,
    describe_state,
    locate_area,
    order_lines,
    read_state,
)


def test_a_cell_is_as_full_as_its_objects_are_large(tmp_path: Path) -> None:
    trace = open_shop(tmp_path)
    state = read_state(trace, trace.find_moment(PEAK_NS - 1))
    space = state.space
    assert space.address.tolist() == [ARENA]
    cell_bytes = (1 << 20) // CELLS
    fill = space.fill[0].tolist()
    assert fill[0] == 1000 / cell_bytes
    assert fill[1] == 1.0
    assert fill[-1] == 0.0
    assert sum(fill) * cell_bytes == 201_000
    assert state.n_objects == 2
    assert describe_line(space, 0).startswith(f"0x{ARENA:x}: 1.00 MiB, 19.2% full, 2 objects, pin")
    assert "1 pinned by 2 objects" in describe_state(state)


def test_a_cell_of_a_line_is_where_its_objects_are(tmp_path: Path) -> None:
    trace = open_shop(tmp_path)
    state = read_state(trace, trace.find_moment(PEAK_NS))
    pool_bytes, end = (1 << 20) // CELLS, ARENA + (1 << 20)
    for cell, low, high in (
        (0, ARENA, ARENA + pool_bytes),
        (CELLS - 1, end - pool_bytes, end),
        (None, ARENA, end),
    ):
        area = locate_area(state, 0, cell)
        assert (area.low, area.high, area.time_ns) == (low, high, PEAK_NS)


def test_lines_with_most_bytes_free_are_first(tmp_path: Path) -> None:
    full, half, pinned = (0x1000000 * n for n in (1, 2, 3))
    lines = [f"0 span {start} {1 << 20} domain=mmap" for start in (full, half, pinned)]
    lines += [f"1 alloc {full} {1 << 20}", f"1 alloc {half} {1 << 19}", f"1 alloc {pinned} 64"]
    trace = MemoryTrace(read_trace("\n".join(lines)), "x", folder=tmp_path)
    space = read_state(trace, trace.index.end).space
    order = order_lines(space, is_by_fill=True).tolist()
    assert space.address[order].tolist() == [pinned, half, full]
    assert order_lines(space, is_by_fill=False).tolist() == [0, 1, 2]


def test_small_spans_share_a_line_and_leave_gaps(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace(f"0 span {ARENA} 16384\n0 span {ARENA + 32768} 16384\n1 alloc 0x10 8"),
        "x",
        folder=tmp_path,
    )
    state = read_state(trace, trace.index.end)
    assert state.space.fill[0, :4].tolist() == [0.0, UNUSED, 0.0, UNUSED]
    assert state.outside_bytes == 8


def test_a_trace_without_spans_says_so(tmp_path: Path) -> None:
    trace = MemoryTrace(read_trace("1 alloc 0x10 8"), "x", folder=tmp_path)
    state = read_state(trace, trace.index.end)
    assert len(state.space) == 0
    assert describe_state(state) == "The trace has no arenas or mappings at this moment."
