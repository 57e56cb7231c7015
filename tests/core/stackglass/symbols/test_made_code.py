"""Code made at run time: its name, and what is no such code."""

from __future__ import annotations

import ctypes
import mmap
import os

import pytest

from harness.fake_clock import FakeClock
from stackglass.symbols.made_code import MadeCode
from stackglass.symbols.native_code import MADE, UNNAMED, NativeName
from stackglass.symbols.symboliser import Symboliser

MESSAGE_NS = 100_000_000  # from one message of an engine to the next


def make_memory(protection: int) -> tuple[mmap.mmap, int]:
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | protection)
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


def name(pid: int, address: int, caller: str = "") -> NativeName:
    return Symboliser(pid).name("", f"memory-{address - 1:x}{caller}", 1)


def test_executable_memory_without_a_file_is_code_made_at_run_time() -> None:
    memory, address = make_memory(mmap.PROT_EXEC)
    assert len(memory) == mmap.PAGESIZE
    assert name(os.getpid(), address) == MADE
    assert name(os.getpid(), address + mmap.PAGESIZE - 1) == MADE


def test_it_counts_to_the_library_that_called_it() -> None:
    memory, address = make_memory(mmap.PROT_EXEC)
    assert len(memory) == mmap.PAGESIZE
    caller = " /opt/a b/libtorch_cpu.so.2"
    assert name(os.getpid(), address, caller) == NativeName("libtorch_cpu: [JIT code]", "")
    assert name(0, address, caller) == UNNAMED


def test_code_that_came_a_moment_ago_is_found() -> None:
    """An address is asked for once, in the message that brings it."""
    clock = FakeClock()
    made = MadeCode(os.getpid(), clock)
    assert not made.holds(0x1000)
    memory, address = make_memory(mmap.PROT_EXEC)
    assert len(memory) == mmap.PAGESIZE
    clock.advance(MESSAGE_NS)
    assert made.holds(address)


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
