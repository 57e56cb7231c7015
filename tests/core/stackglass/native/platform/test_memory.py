"""Memory that another thread may unmap at any moment, read on a thread of the program."""

from __future__ import annotations

import ctypes
import mmap
import signal

from native import _core_testing as core

ANY_ADDRESS = 0x1000  # below what the kernel maps
KILL_AND_STOP = 1 << 8 | 1 << 18


def test_all_bits_of_a_number_are_read_and_the_mask_is_kept() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        for number in (0, 1, KILL_AND_STOP, 4_194_303, 2**32 - 1):
            numbers = (ctypes.c_uint32 * 3)(2**32 - 1, number, 0)
            assert core.memory_read_fleeting(ctypes.addressof(numbers) + 4) == number
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == {*before, signal.SIGUSR1}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_a_thread_that_blocks_all_signals_reads_too() -> None:
    number = ctypes.c_uint64(12345 << 32)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        assert core.memory_read_fleeting(ctypes.addressof(number) + 4) == 12345
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_memory_that_is_gone_is_not_read() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert libc.mprotect(address + mmap.PAGESIZE, mmap.PAGESIZE, 0) == 0
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert core.memory_read_fleeting(address + mmap.PAGESIZE - 4) == 0
    assert core.memory_read_fleeting(address + mmap.PAGESIZE) is None
    assert core.memory_read_fleeting(ANY_ADDRESS) is None
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
