"""Starters of C threads: pairs of threads, started by the main thread and by another one.

``FILTER`` is a system call filter of that other thread, an array of struct sock_filter in
hexadecimal.
"""

import ctypes
import os
import sys
import threading
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from call_filter import install
from probe import load_core, report

core = load_core()
library = ctypes.CDLL(sys.argv[2])


def start(which):
    """Start a pair. Returns the tids of both threads, once they run."""
    assert library.start_pair(which) == 0
    while not (library.tid_of(which, 0) and library.tid_of(which, 1)):
        time.sleep(0.001)
    return library.tid_of(which, 0), library.tid_of(which, 1)


def start_elsewhere(which):
    """Start a pair from another Python thread. Returns the tids, and that thread's."""
    found = []

    def run():
        if os.environ.get("FILTER"):
            install(bytes.fromhex(os.environ["FILTER"]), is_for_all=False)
        found.extend((*start(which), threading.get_native_id()))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found


problem = core.cpu_prepare()
before = start(0)
refusal = core.native_alloc_redirect()
if refusal:
    report(refusal=refusal)
    sys.exit()
own = threading.get_native_id()
first, second = start(1)
third, fourth, other = start_elsewhere(2)
starts = {tid: (starter, bool(is_python)) for tid, starter, is_python in core.thread_starts()}
is_empty = core.thread_starts() == []
library.copy_pointer()  # it stays the engine's
core.native_alloc_restore()
start(3)
is_silent = core.thread_starts() == []
for which in range(4):
    library.end_pair(which)
core.cpu_unprepare()
report(
    is_right=starts
    == {
        first: (own, True),
        second: (first, False),
        third: (other, True),
        fourth: (third, False),
    },
    starts={str(tid): row for tid, row in starts.items()},
    is_empty=is_empty,
    is_silent=is_silent,
    problem=problem,
)
