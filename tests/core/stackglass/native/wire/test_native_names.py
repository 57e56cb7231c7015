"""Functions of machine code, as the engine defines them: code in no library by who called it."""

from __future__ import annotations

import ctypes
import mmap

from native import _core_testing as core

NO_CALLER = 0


def find_function(library: str | None, name: str) -> int:
    """An address behind the function's first instruction."""
    address = ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
    assert address is not None
    return address + 1


def test_code_made_at_run_time_has_the_library_of_each_of_its_callers() -> None:
    """One piece of code that two libraries call in turn, as a JIT's for all its users."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    made = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    in_libc = find_function("libc.so.6", "qsort")
    in_libm = find_function("libm.so.6", "cbrt")
    calls = [(made, in_libc), (made, in_libm), (made, NO_CALLER)]
    of_libc, of_libm, of_none = core.name_native(tuple(calls))
    assert of_libc.endswith("/libc.so.6")
    assert of_libm.endswith("/libm.so.6")
    assert of_none == of_libc.split(" ")[0] == of_libm.split(" ")[0]
    turned = core.name_native((*calls, *calls[::-1]))
    assert turned == [of_libc, of_libm, of_none, of_none, of_libm, of_libc]


def test_the_function_of_a_library_is_itself_whoever_calls_it() -> None:
    in_libc = find_function("libc.so.6", "qsort")
    in_libm = find_function("libm.so.6", "cbrt")
    calls = ((in_libm, NO_CALLER), (in_libm, in_libc), (in_libm, in_libm))
    assert len(set(core.name_native(calls))) == 1
