"""A program that ends while the sanitized engine waits for the GIL.

From the engine's start to the interpreter's end only C functions run, called one after the other by
a C function that keeps the GIL, so that no bytecode releases it. Nor can the engine request it: the
queue of pending calls is full, and the switch interval long. Up to 3.13 Python ends the engine's
thread when the GIL is free next: at the latest here, while an object is deleted.

Writes the number of threads a while later.
"""

import collections
import ctypes
import itertools
import os
import sys
import time

from sanitized_engine import list_arguments, load_core

WAITED_US = 2_000_000  # until the engine surely waits
N_PENDING = 400  # more than fit into any queue
FREE_S = 1.0


class Last:
    """Deleted as the interpreter ends."""

    def __del__(self, seconds=FREE_S, sleep=time.sleep, listdir=os.listdir, write=os.write):
        sleep(seconds)
        write(1, b"%d" % len(listdir("/proc/self/task")))


core = load_core()
arguments = list_arguments()
with_gil = ctypes.PyDLL(None)
with_gil.Py_AddPendingCall.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
with_gil.Py_Exit.argtypes = (ctypes.c_int,)
nothing = ctypes.cast(with_gil.abs, ctypes.c_void_p)  # of NULL it returns 0
sys.setswitchinterval(1000)
last = Last()
collections.deque(
    itertools.chain(
        map(
            with_gil.Py_AddPendingCall, itertools.repeat(nothing, N_PENDING), itertools.repeat(None)
        ),
        map(core.enter, [arguments]),
        map(with_gil.usleep, [WAITED_US]),
        map(with_gil.Py_Exit, [0]),
    ),
    maxlen=0,
)
