"""A small memory trace with something of everything, for tests of the window."""

from __future__ import annotations

from pathlib import Path

from harness.traced_memory import ListedSource, read_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

MS = 1_000_000
ARENA = 0x100000
PEAK_NS = 4 * MS
TEXT = f"""
    0 span {ARENA} {1 << 20} domain=mmap
    0 object {ARENA + 0x100} 1000 type=builtins.module
    {1 * MS} alloc {ARENA + 0x4000} 200000 at=main;load;parse type=builtins.bytes
    {2 * MS} gc 0 2
    {3 * MS} gc-end 0 2
    {3 * MS} region 0 type=request
    {4 * MS} alloc {ARENA + 0x80000} 64 at=main;load type=app.Row
    {4 * MS} free {ARENA + 0x80000}
    {5 * MS} free {ARENA + 0x4000}
    {6 * MS} alloc {ARENA + 0x90000} 3000 at=main;keep type=app.Node
    {7 * MS} region-end 0 type=request
    {8 * MS} alloc {ARENA + 0xA0000} 100 at=main;keep type=app.Node
"""


def list_source() -> ListedSource:
    """Return the events of the trace; ``write_session`` makes a file of them."""
    return read_trace(TEXT)


def open_shop(folder: Path) -> MemoryTrace:
    """Write and open the trace; its side file is in ``folder``."""
    return MemoryTrace(list_source(), "shop.sgm", folder=folder)
