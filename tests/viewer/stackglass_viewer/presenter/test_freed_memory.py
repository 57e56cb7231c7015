"""Freed memory goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.freed_memory import EVERY_MS, FreedMemory, trim_heap

WaitUntil = Callable[[Callable[[], bool]], None]
BLOCK_BYTES, N_BLOCKS = 100_000, 600  # blocks that are no mappings of their own


def read_resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc has it")
def test_what_lies_between_blocks_that_are_in_use_goes_back() -> None:
    blocks = [b"\1" * BLOCK_BYTES for _ in range(N_BLOCKS)]
    before = read_resident_bytes()
    del blocks[: N_BLOCKS - 1]  # the last one holds the rest
    trim_heap()
    assert before - read_resident_bytes() > N_BLOCKS * BLOCK_BYTES // 2


_COUNT_MAPPED = """
import ctypes, sys
from stackglass_viewer.presenter.freed_memory import limit_heap
if sys.argv[1] == "limited":
    limit_heap()
class Numbers(ctypes.Structure):
    _fields_ = [(f"field_{at}", ctypes.c_size_t) for at in range(10)]
count = ctypes.CDLL(None).mallinfo2
count.restype = Numbers
large = bytearray(16 << 20)
del large  # from now on glibc would take blocks of this size from its heap
before = count().field_3
blocks = [bytearray(int(sys.argv[2])) for _ in range(16)]
print(count().field_3 - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="only glibc counts")
@pytest.mark.parametrize("n_bytes", [2 << 20, 160 << 10])
@pytest.mark.parametrize(("how", "least", "most"), [("limited", 12, 16), ("as it is", 0, 0)])
def test_large_blocks_are_mapped_one_by_one(how: str, least: int, most: int, n_bytes: int) -> None:
    """A block that is mapped goes back as it is freed. Some may fit into what is free already."""
    command = [sys.executable, "-c", _COUNT_MAPPED, how, str(n_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert least <= int(done.stdout) <= most


def test_a_thread_does_it_now_and_then(qt: QApplication, wait_until: WaitUntil) -> None:
    names: list[str] = []
    limits: list[None] = []
    freed = FreedMemory(
        give_back=lambda: names.append(threading.current_thread().name),
        limit=lambda: limits.append(None),
    )
    assert not freed._timer.isActive()
    freed.start()
    assert len(limits) == 1
    assert (freed._timer.isActive(), freed._timer.interval()) == (True, EVERY_MS)
    freed._timer.timeout.emit()
    wait_until(lambda: bool(names))
    assert names == ["freed memory"]
    freed.stop()
    assert not freed._timer.isActive()
