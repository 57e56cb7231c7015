"""A thread that waits for the GIL only because of an engine thread: SO N HOLD_NS TAIL_NS."""

import os
import sys
import threading

from gil import PATIENCE_S, Session, core, report


def work():
    while not is_over:
        sum(range(100))


n_jobs, hold_ns, tail_ns = map(int, sys.argv[2:])
is_over = False
session = Session(hz=1)
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
worker = threading.Thread(target=work)
worker.start()
core.cpu_adopt()  # from here on this is an engine's thread
# When woken, it does not preempt the thread that has released the GIL, which so always waits.
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
charged = core.gil_engine_jobs(n_jobs, hold_ns, tail_ns, PATIENCE_S * 10**9)
counted = core.gil_waited()
core.cpu_disown()
is_over = True
worker.join()
session.stop()
report(refusal=None, charged=charged, counted_ns=counted[1])
