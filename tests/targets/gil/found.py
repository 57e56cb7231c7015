"""Search for the GIL by the newest of N threads, for each N, and with misleading intervals.

An interpreter's list of threads begins with the number of threads ever made, the newest thread, and
the number of running threads: with one thread beside the main thread, this resembles a GIL.
"""

import sys
import threading
import time

from gil import core, report

MOST_THREADS = 4
INTERVALS_US = range(1, 9)

is_over = threading.Event()
answers = [core.cpu_prepare() or core.cpu_start(0, 0, time.monotonic_ns()), core.gil_prepare()]


def search(has_answered):
    """Search in the newest thread, and keep the thread until the end."""
    usual = sys.getswitchinterval()
    for interval_us in INTERVALS_US:
        sys.setswitchinterval(interval_us * 1e-6)
        answers.append(core.gil_prepare())
    sys.setswitchinterval(usual)
    answers.append(core.gil_prepare())
    has_answered.set()
    is_over.wait()


threads = []
for _ in range(MOST_THREADS):
    has_answered = threading.Event()
    threads.append(threading.Thread(target=search, args=(has_answered,)))
    threads[-1].start()
    has_answered.wait()
is_over.set()
for thread in threads:
    thread.join()
core.cpu_stop()
core.cpu_unprepare()
report(answers=answers, n_expected=2 + MOST_THREADS * (len(INTERVALS_US) + 1))
