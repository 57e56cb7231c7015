"""Code made at run time: its name, and what is no such code."""

from __future__ import annotations

import ctypes
import mmap
import os

import pytest

from stackglass.symbols.made_code import MadeCode
from stackglass.symbols.native_code import MADE, UNNAMED, NativeName
from stackglass.symbols.symboliser import Symboliser


def make_memory(protection: int) -> tuple[mmap.mmap, int]:
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | protection)
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


def name(pid: int, address: int) -> NativeName:
    return Symboliser(pid).name("", f"memory-{address - 1:x}", 1)


def test_executable_memory_without_a_file_is_code_made_at_run_time() -> None:
    memory, address = make_memory(mmap.PROT_EXEC)
    assert len(memory) == mmap.PAGESIZE
    assert name(os.getpid(), address) == MADE
    assert name(os.getpid(), address + mmap.PAGESIZE - 1) == MADE


@pytest.mark.parametrize("pid", [os.getpid(), 0], ids=["data", "ended"])
def test_what_is_not_proven_has_no_name(pid: int) -> None:
    memory, address = make_memory(0 if pid else mmap.PROT_EXEC)
    assert len(memory) == mmap.PAGESIZE
    assert name(pid, address) == UNNAMED
    assert name(pid, 0x1000) == UNNAMED


def test_the_code_of_a_library_was_not_made_at_run_time() -> None:
    address = ctypes.cast(ctypes.CDLL(None).qsort, ctypes.c_void_p).value
    assert address is not None
    assert not MadeCode(os.getpid()).holds(address)
