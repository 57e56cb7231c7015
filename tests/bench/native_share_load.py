"""Work of C functions whose shares are known, in one thread on one processor.

``LIBRARY cpu SECONDS`` or ``LIBRARY heap MEBIBYTES``. ``cpu`` prints the CPU time
of each function, by the thread's clock, in nanoseconds.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time

CPU_FUNCTIONS = ("half", "quarter", "sixth", "tenth")
KEEPERS = ("keep_most", "keep_third", "keep_tenth")
UNIT = 3000  # work of a round, which takes about a millisecond


def spend(library: ctypes.CDLL, seconds: float) -> None:
    library.measure.restype = ctypes.c_int64
    spent_ns = dict.fromkeys(CPU_FUNCTIONS, 0)
    end_s = time.monotonic() + seconds
    print("ready", flush=True)
    while time.monotonic() < end_s:
        for name in CPU_FUNCTIONS:
            spent_ns[name] += library.measure(getattr(library, name), ctypes.c_long(UNIT))
    for name, spent in spent_ns.items():
        print(name, spent)


def keep(library: ctypes.CDLL, mebibytes: int) -> None:
    for name in KEEPERS:
        getattr(library, name)(ctypes.c_size_t((mebibytes << 20) // 100))


if __name__ == "__main__":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    path, kind, amount = sys.argv[1:]
    if kind == "cpu":
        spend(ctypes.CDLL(path), float(amount))
    else:
        keep(ctypes.CDLL(path), int(amount))
