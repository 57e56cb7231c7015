"""C code below a Python caller, on threads that Python does not know, and in the collector."""

import ctypes
import gc
import sys
import threading
import time

from sampler import Session, report

library = ctypes.PyDLL(sys.argv[2])  # burn_ms(ms), with the GIL
foreign = ctypes.CDLL(sys.argv[2])  # run_foreign_ms(ms): the same on a thread of C


def call_native():
    library.burn_ms(300)


def collect_garbage():
    end = time.thread_time() + 0.3
    cycles = [[] for _ in range(20000)]
    for cycle in cycles:
        cycle.append(cycles)
    while time.thread_time() < end:
        gc.collect()


def read_clock():
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        time.monotonic()


session = Session(hz=1000)
call_native()
session.collect()
caller = threading.Thread(target=foreign.run_foreign_ms, args=(300,))
caller.start()
while caller.is_alive():
    time.sleep(0.01)
    session.collect()
collect_garbage()
session.collect()
read_clock()
session.stop()
report(
    native=session.leaf_share("<native>"),
    n_native_called=sum(s[2] for s in session.samples if s[4][:2] == ("<native>", "call_native")),
    n_foreign=sum(s[2] for s in session.samples if s[4] == ("<native>", "<no Python thread>")),
    n_gc=sum(s[2] for s in session.samples if s[4][:2] == ("<gc>", "collect_garbage")),
    n_collecting=sum(s[2] for s in session.samples if "collect_garbage" in s[4]),
    n_reading=sum(s[2] for s in session.samples if "read_clock" in s[4]),
    n_reading_native=sum(s[2] for s in session.samples if s[4][:2] == ("<native>", "read_clock")),
)
