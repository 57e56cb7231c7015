"""A thread that waits while the engine has the GIL, then the program, then the engine again: SO."""

import sys
import threading
import time

from gil import PATIENCE_S, Session, core, report


def work():
    while not is_over:
        time.sleep(0.001)


is_over = False
session = Session(hz=1)
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
interval_s = sys.getswitchinterval()
sys.setswitchinterval(PATIENCE_S)  # the thread waits in one call
worker = threading.Thread(target=work)
worker.start()
core.cpu_adopt()  # from here on this is an engine's thread
n_counted = core.gil_engine_takes_twice(PATIENCE_S * 10**9)
core.cpu_disown()
sys.setswitchinterval(interval_s)
is_over = True
worker.join()
session.stop()
report(refusal=None, n_counted=n_counted)
