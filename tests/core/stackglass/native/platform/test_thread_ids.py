"""Thread IDs, read from the C library's descriptors of threads."""

from __future__ import annotations

import ctypes
import threading

from native import _core_testing as core


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
