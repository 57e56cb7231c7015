"""More threads than slots: threads without a slot must be counted: SO BURNER.

They are threads of C: thousands of Python's would fight for the GIL as they end, for minutes on a
crowded machine.
"""

import ctypes
import sys
import time

from sampler import Session, core, report

N_SLOTS, N_MORE = 4096, 7
DEADLINE = time.monotonic() + 200


def wait_for(is_so):
    while not is_so() and time.monotonic() < DEADLINE:
        time.sleep(0.05)
        session.collect()
    status = core.cpu_status()
    return status["n_threads"], status["n_unsampled_threads"]


session = Session(hz=10)
before = core.cpu_status()["n_threads"]
library = ctypes.CDLL(sys.argv[2])
n_wanted = N_SLOTS + N_MORE - before
n_started = library.start_idle(n_wanted)
if n_started < n_wanted:
    report(refused=f"{n_started} of {n_wanted} threads could be started")
else:
    crowd = wait_for(lambda: core.cpu_status()["n_threads"] == N_SLOTS + N_MORE)
    library.end_idle(n_started)
    alone = wait_for(lambda: core.cpu_status()["n_threads"] == before)
    report(refused="", before=before, crowd=crowd, alone=alone)
session.stop()
