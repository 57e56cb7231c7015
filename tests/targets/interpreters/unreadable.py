"""A thread state of another interpreter in memory that only the kernel can read: SO.

If the walks read it, they read nothing in place: its thread may free it at any moment.
"""

import ctypes
import mmap
import os
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import several
from probe import load_core, report

NEXT = 8  # byte offset of a thread state's `next`
STATE_BYTES = 512
NO_CALLS = 0
TID = 4_000_000  # that no thread has

core = load_core()
api = ctypes.pythonapi
libc = ctypes.CDLL(None)
for function in (
    *(api.PyInterpreterState_Head, api.PyInterpreterState_Get, api.PyThreadState_Get),
    *(api.PyInterpreterState_ThreadHead, api.PyThreadState_New),
):
    function.restype = ctypes.c_void_p
for function in (api.PyInterpreterState_ThreadHead, api.PyThreadState_New):
    function.argtypes = [ctypes.c_void_p]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def find_tid():
    """Return the offset of a thread state's `native_thread_id`."""
    words = ctypes.string_at(api.PyThreadState_Get(), STATE_BYTES)
    return words.index(threading.get_native_id().to_bytes(8, "little"))


def make_state():
    """Make an interpreter whose newest thread state lists one more, a copy of itself."""
    several.make.kept = several.make()  # up to 3.12 it ends with its last reference
    other = api.PyInterpreterState_Head()  # the newest
    assert other != api.PyInterpreterState_Get()
    if not api.PyInterpreterState_ThreadHead(other):
        api.PyThreadState_New(other)
    newest = api.PyInterpreterState_ThreadHead(other)
    pages = mmap.mmap(-1, mmap.PAGESIZE)
    pages[:STATE_BYTES] = ctypes.string_at(newest, STATE_BYTES)
    pages[NEXT : NEXT + 8] = bytes(8)
    at = find_tid()
    pages[at : at + 8] = TID.to_bytes(8, "little")
    state = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    return ctypes.c_void_p.from_address(newest + NEXT), state, pages


if sys.version_info < (3, 12):
    report(refusal="interpreters share one GIL: their lists do not change")
    sys.exit()
core.cpu_prepare()
link, state, pages = make_state()
core.calls_begin(NO_CALLS)
assert libc.mprotect(state, mmap.PAGESIZE, 0) == 0
link.value = state
n_samples = sum(sample[0] == TID for sample in core.cpu_snapshot())
link.value = None
report(n_samples=n_samples)
sys.stdout.flush()
os._exit(0)  # the interpreter's end would look for the thread of that state
