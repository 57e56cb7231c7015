"""Single blocks in words."""

from __future__ import annotations

from pathlib import Path

from harness.shop_trace import ARENA, MS, open_shop
from harness.traced_memory import read_trace
from stackglass_viewer.model.memory_trace.live_blocks import BlockFacts
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.block_texts import (
    describe_block,
    explain_missing_stack,
    list_frames,
)


def find(trace: MemoryTrace, time_ns: int, address: int) -> BlockFacts:
    (block,) = trace.list_blocks(trace.find_moment(time_ns), address, address + 1)
    return block


def test_a_block_from_birth_to_death(tmp_path: Path) -> None:
    trace = open_shop(tmp_path)
    block = find(trace, 2 * MS, ARENA + 0x4000)
    rows = dict(describe_block(trace, block))
    assert rows["Type"] == "builtins.bytes"
    assert rows["Size"].startswith("195 KiB (200")
    assert rows["Thread"] == "MainThread (7)"
    assert rows["Born"].startswith("1.000 ms, event")
    assert rows["Died"] == "5.000 ms, freed"
    assert rows["Lifetime"] == "4.00 ms"
    assert "Note" not in rows
    assert [frame.function for frame in list_frames(trace, block)] == ["parse", "load", "main"]


def test_a_block_that_is_older_than_the_trace(tmp_path: Path) -> None:
    trace = open_shop(tmp_path)
    block = find(trace, 2 * MS, ARENA + 0x100)
    rows = dict(describe_block(trace, block))
    assert rows["Born"] == "before the trace began"
    assert rows["Died"] == "no: it lives to the end of the trace"
    assert rows["Lifetime"] == "at least 8.00 ms"
    assert list_frames(trace, block) == ()
    assert "older than the trace" in explain_missing_stack(trace, block)


def test_doubts_are_said(tmp_path: Path) -> None:
    text = "1 alloc 0x1000 64 type=a domain=obj\n2 lost 0 5 domain=obj\n9 alloc 0x9000 8"
    trace = MemoryTrace(read_trace(text), "x", folder=tmp_path)
    rows = dict(describe_block(trace, find(trace, 9, 0x1000)))
    assert "may have been freed" in rows["Note"]
