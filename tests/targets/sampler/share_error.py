"""Reports the engine's share error, with sampling on and off: SO CLOCK FILTER THREAD.

FILTER is a system call filter, as in ../call_filter.py, or empty. THREAD: a ``busy`` or ``idle``
second thread blocks every signal.
"""

import os
import select
import signal
import sys
import threading
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if sys.argv[3]:
    from call_filter import install

    install(bytes.fromhex(sys.argv[3]))

from sampler import Session, core, report

BOUND_S = 20
is_over = threading.Event()
never, _ = os.pipe()


def read_error():
    status = core.cpu_status()
    return [status["share_error_points"], status["share_error_cause"]]


def block_and_run():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    if sys.argv[4] == "idle":
        select.select([never], [], [], 0.3)
    while sys.argv[4] == "busy" and not is_over.is_set():
        sum(range(300))


session = Session(hz=1000, clock=sys.argv[2])
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
thread = threading.Thread(target=block_and_run)
if sys.argv[4]:
    thread.start()
ended = time.monotonic() + BOUND_S
used = time.process_time()
while time.process_time() - used < 0.3 or (
    sys.argv[4] == "busy" and not read_error()[0] and time.monotonic() < ended
):
    sum(range(300))
    session.collect()
on = read_error()
core.cpu_set_rate(0)
off = read_error()
is_over.set()
if sys.argv[4]:
    thread.join()
session.stop()
report(refusal=None, clock=session.status["clock"], on=on, off=off)
