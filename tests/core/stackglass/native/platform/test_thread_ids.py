"""Thread IDs, read from the C library's descriptors of threads."""

from __future__ import annotations

import ctypes
import mmap
import struct
import threading

from native import _core_testing as core

NOT_GIVEN, NONE = -1, 0


def test_a_thread_that_runs_has_its_tid() -> None:
    assert core.thread_ids_of(threading.get_ident()) == (threading.get_native_id(),) * 3


def test_a_joined_thread_has_none() -> None:
    """The C library writes -1 into its descriptor, which it keeps for the next thread."""
    libc = ctypes.CDLL(None)
    pthread = ctypes.c_size_t()
    assert libc.pthread_create(ctypes.byref(pthread), None, libc.getpid, None) == 0
    assert libc.pthread_join(pthread, None) == 0
    assert core.thread_ids_of(pthread.value) == (0, 0, 0)


def test_other_memory_has_none() -> None:
    me = threading.get_ident()
    offset = next(
        offset
        for offset in range(0, 4096, 4)
        if ctypes.c_int32.from_address(me + offset).value == threading.get_native_id()
    )
    memory = (ctypes.c_int32 * 1024)()
    for number, expected in ((4 << 20, 4 << 20), ((4 << 20) + 1, 0), (-1, 0), (0, 0)):
        memory[offset // 4] = number
        assert core.thread_ids_of(ctypes.addressof(memory)) == (expected,) * 3


def test_a_descriptor_is_never_read_in_place() -> None:
    """The C library may unmap it at any moment, once its thread has ended. The kernel's own copy
    also has what the program itself may not read: so no page was read in place."""
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    pages = mmap.mmap(-1, mmap.PAGESIZE)
    pages[:] = struct.pack("=i", 12345) * (mmap.PAGESIZE // 4)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    core.calls_begin(NONE)
    assert libc.mprotect(address, mmap.PAGESIZE, 0) == 0
    found = core.thread_ids_of(address)
    assert libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) == 0
    core.calls_begin(NOT_GIVEN)
    assert found == (12345, 0, 0)
