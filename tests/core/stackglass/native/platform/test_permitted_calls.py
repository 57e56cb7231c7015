"""Which system calls the engine may make where its filters cannot be read for a while."""

from __future__ import annotations

import ctypes
import mmap
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from native import _core_testing as core

NOT_GIVEN, NONE, ALL = -1, 0, 255
SOME = 5
ANY_ADDRESS = 0x1000  # below what the kernel maps


@contextmanager
def no_free_descriptor() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(autouse=True)
def _begin_anew() -> Iterator[None]:
    yield
    core.calls_begin(NOT_GIVEN)


def test_without_a_descriptor_nothing_is_permitted_for_as_long() -> None:
    """The filters may be others by now."""
    core.calls_begin(SOME)
    for _ in range(2):
        with no_free_descriptor():
            assert core.calls_permitted() == SOME
            core.calls_check()
            assert core.calls_permitted() == NONE
        assert core.calls_permitted() == NONE
        core.calls_check()
        assert core.calls_permitted() == SOME


def test_memory_of_another_thread_is_never_read_in_place() -> None:
    """Between a look whether it is there and the read, that thread may unmap it. The kernel's own
    copy also has what the program itself may not read: so no page was read in place."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    pages = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    number = ctypes.c_uint64.from_address(address)
    number.value = 12345
    for permitted in (ALL, NONE):
        core.calls_begin(permitted)
        assert core.memory_read_foreign(address) == 12345
        assert core.memory_read_foreign(ANY_ADDRESS) is None
    assert libc.mprotect(address, mmap.PAGESIZE, 0) == 0
    assert core.memory_read_foreign(address) == 12345
    with no_free_descriptor():
        assert core.memory_read_foreign(address) is None
        assert core.memory_read_foreign(ctypes.addressof(ctypes.c_uint64(1))) is None
    assert libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) == 0


def test_filters_that_could_not_be_read_at_the_begin_are_read_later() -> None:
    without_filter = ALL if core.status_number("\nSeccomp:") == 0 else NONE
    with no_free_descriptor():
        core.calls_begin(NOT_GIVEN)
        assert core.calls_permitted() == NONE
        core.calls_check()
        assert core.calls_permitted() == NONE
    core.calls_check()
    assert core.calls_permitted() == without_filter


def test_what_the_attacher_permits_counts_until_a_filter_may_have_come() -> None:
    """It has just read the filters; after the first check in vain, only none is certain."""
    without_filter = SOME if core.status_number("\nSeccomp:") == 0 else NONE
    with no_free_descriptor():
        core.calls_begin(SOME)
        assert core.calls_permitted() == SOME
        core.calls_check()
        assert core.calls_permitted() == NONE
    core.calls_check()
    assert core.calls_permitted() == without_filter
