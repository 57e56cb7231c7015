"""Callbacks whose threads have ended before them, as greenlets may leave them: by hand, and with
the package greenlet by an event loop in a greenlet.
"""

import asyncio
import ctypes
import threading
import time

from contention import Contention, core, report

try:
    import greenlet
except ImportError:
    greenlet = None

MS = 1_000_000
STALL_MS = 20
SIZES = range(192, 4096, 16)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
left = []


def begin_by_hand():
    core.asyncio_begin_stall()


def run_loop():
    loop = asyncio.new_event_loop()
    left.append(loop)
    loop.call_soon(outer.parent.switch)
    loop.run_forever()


def begin_in_loop():
    global outer
    outer = greenlet.greenlet(run_loop)
    outer.switch()
    left.append(outer)


def overwrite_freed():
    """Overwrite freed memory, also blocks of a thread state's size."""
    for size in SIZES:
        for _ in range(40):
            ctypes.memset(libc.malloc(ctypes.c_size_t(size)), 0x41, size)


def look_for(begin):
    """Return whether a stack is due while the thread lives, after its end, and later."""
    is_begun, may_end = threading.Event(), threading.Event()

    def work():
        begin()
        is_begun.set()
        may_end.wait()

    began_ns = time.monotonic_ns()
    thread = threading.Thread(target=work)
    thread.start()
    is_begun.wait()
    time.sleep(STALL_MS / 1000)
    is_due = [core.asyncio_are_due()]
    core.asyncio_maintain()
    may_end.set()
    thread.join()
    overwrite_freed()
    time.sleep(1.1 * (time.monotonic_ns() - began_ns) / 1e9)
    is_due.append(core.asyncio_are_due())
    core.asyncio_maintain()
    time.sleep(1.1 * (time.monotonic_ns() - began_ns) / 1e9)
    is_due.append(core.asyncio_are_due())
    return is_due


facts = {}
with Contention():
    core.contention_set_rates(0, 0, 0, STALL_MS * MS)
    core.asyncio_open()
    assert core.asyncio_maintain()
    facts["by_hand"] = look_for(begin_by_hand)
    if greenlet:
        facts["in_loop"] = look_for(begin_in_loop)
    core.asyncio_close()
report(**facts)
