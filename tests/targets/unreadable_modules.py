"""The raw allocator as the engine sees it, while only the kernel can read the table of sys.modules.

If tracemalloc is not found to be missing, that table was read in place, or not at all: SO.
"""

import ctypes
import gc
import mmap
import sys

from probe import load_core, report

DICT_KEYS = 32  # byte offset of a dict's `ma_keys`
HEAD_BYTES = 16  # of the C library, before a block that is a mapping of its own
FLAGS = 7
NO_CALLS = 0
N_NAMES = 70_000

core = load_core()
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
if sys.version_info < (3, 12):
    report(refusal="tracemalloc is not looked up there")
    sys.exit()
sys.modules.update((f"module {number}", sys) for number in range(N_NAMES))
start = ctypes.c_size_t.from_address(id(sys.modules) + DICT_KEYS).value - HEAD_BYTES
size = ctypes.c_size_t.from_address(start + 8).value & ~FLAGS
if start % mmap.PAGESIZE or size % mmap.PAGESIZE:
    report(refusal="the table is no mapping of its own")
    sys.exit()
core.raw_allocator()
gc.disable()
core.calls_begin(NO_CALLS)
assert libc.mprotect(start, size, 0) == 0
look = core.raw_allocator()
assert libc.mprotect(start, size, mmap.PROT_READ | mmap.PROT_WRITE) == 0
report(look=look)
