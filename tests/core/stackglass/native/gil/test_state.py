"""The GIL's state, read from the interpreter's own struct."""

from __future__ import annotations

import ctypes
import mmap
import struct

from native import _core_testing as core

NOT_GIVEN, NONE = -1, 0
STATE = 0x1000


def test_the_gil_of_a_subinterpreter_is_never_read_in_place() -> None:
    """The subinterpreter may end at any moment. The kernel's own copy also has what the program
    itself may not read: so no page was read in place."""
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    pages = mmap.mmap(-1, mmap.PAGESIZE)
    pages[: 4 * 8] = struct.pack("=QQQQ", 5000, STATE, 1, 7)  # interval, holder, locked, switches
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    core.calls_begin(NONE)
    assert libc.mprotect(address, mmap.PAGESIZE, 0) == 0
    holder = core.gil_holder(address)
    assert libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) == 0
    core.calls_begin(NOT_GIVEN)
    assert holder == STATE
