"""Freed memory goes back to the system."""

from __future__ import annotations

import ctypes
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


def test_a_thread_does_it_now_and_then(qt: QApplication, wait_until: WaitUntil) -> None:
    names: list[str] = []
    freed = FreedMemory(give_back=lambda: names.append(threading.current_thread().name))
    assert not freed._timer.isActive()
    freed.start()
    assert (freed._timer.isActive(), freed._timer.interval()) == (True, EVERY_MS)
    freed._timer.timeout.emit()
    wait_until(lambda: bool(names))
    assert names == ["freed memory"]
    freed.stop()
    assert not freed._timer.isActive()
