"""What a memory trace comes to."""

from __future__ import annotations

from pathlib import Path

from harness.shop_trace import open_shop
from harness.traced_memory import read_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.statistics import read_statistics


def test_all_of_it_is_read_at_once(tmp_path: Path) -> None:
    value = read_statistics(open_shop(tmp_path))
    assert value.findings[0].startswith("Peak: 196 KiB in 3 objects")
    assert [site.line.function for site in value.garbage] == ["load"]
    assert [(site.line.function, site.n) for site in value.survivors] == [("keep", 2)]
    assert value.collections == ("1 garbage collection, 1.00 ms in all; the longest took 1.00 ms.")


def test_lifetimes_are_columns_without_gaps(tmp_path: Path) -> None:
    bars = read_statistics(open_shop(tmp_path)).lifetimes.bars
    assert sum(bar.count for bar in bars) == 2
    assert [bar.size for bar in bars] == list(range(bars[0].size, bars[-1].size + 1))
    assert bars[-1].about.startswith("2.10 ms to 4.19 ms: 1 blocks, 195 KiB")


def test_a_trace_without_frees_or_collections_says_so(tmp_path: Path) -> None:
    trace = MemoryTrace(read_trace("1 alloc 0x10 8"), "x", folder=tmp_path)
    value = read_statistics(trace)
    assert value.lifetimes.about == "No block was allocated and freed in the trace."
    assert value.collections == "No garbage collection was recorded."
