"""Another process's memory: here this one's, and that of no process."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.target_memory import TargetMemory

PID = 42


def test_reads_and_writes_what_is_mapped() -> None:
    word = ctypes.c_uint64(7)
    address = ctypes.addressof(word)
    with TargetMemory(os.getpid(), is_writable=True) as memory:
        assert memory.read_u64(address) == 7
        assert memory.read_i32(address) == 7
        assert memory.write(address, b"\x09")
        assert memory.read(8, 8) == b""
        assert memory.read_u64(8) == 0
        assert memory.read_i32(8) is None
        assert not memory.write(8, b"\0")
    assert word.value == 9


def test_a_process_that_has_ended(tmp_path: Path) -> None:
    with pytest.raises(NoSuchProcessError, match="42 has ended"):
        TargetMemory(PID, proc=FakeProc(tmp_path).proc)
