"""The main thread has real-time priority, where the system permits that, and mostly sleeps."""

import contextlib
import os
import time

from rounds import run_rounds


def doze():
    before = time.monotonic()
    time.sleep(0.05)
    return time.monotonic() - before >= 0.05


with contextlib.suppress(PermissionError):
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
run_rounds("real_time", doze)
