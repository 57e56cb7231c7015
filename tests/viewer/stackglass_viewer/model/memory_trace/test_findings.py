"""Sentences about a memory trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.traced_memory import INFO, read_trace
from stackglass_viewer.model.memory_trace.findings import list_findings
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

TEXT = "0 alloc 0x1000 64 domain=obj\n1 alloc 0x2000 4096 domain=obj\n2 free 0x2000"


def test_blocks_that_the_interpreter_does_not_list_are_counted(tmp_path: Path) -> None:
    """That is so wherever a running process is traced: no warning, but said."""
    source = read_trace(TEXT)
    trace = MemoryTrace(
        replace(source, info=replace(INFO, hidden_blocks=1367)), "x", folder=tmp_path
    )
    *_, last = list_findings(trace)
    assert last.startswith("Not included: 1\u202f367 small blocks from before the trace")
    assert not trace.warnings


def test_the_peak_comes_first(tmp_path: Path) -> None:
    trace = MemoryTrace(read_trace(TEXT), "x", folder=tmp_path)
    first, *others = list_findings(trace)
    assert first.startswith("Peak: 4.06 KiB in 2 objects")
    assert not any(text.startswith("Not in it") for text in others)
