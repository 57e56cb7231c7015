"""The collector's count after each of many collections: at once, and again after the program has
slept. Before each collection new code runs on a new thread, and an engine looks up the names of
both meanwhile.

Answers each line of its input with the pairs of 5 rounds.
"""

import _thread
import gc
import os
import sys
import time

from rounds import announce, digest

SOURCE = """
def spin(n):
    while n:
        n -= 1
class Spinner:
    def spin(self, n):
        spin(n)
"""


def run_new_code():
    names = {"__name__": __name__}
    exec(compile(SOURCE, __file__, "exec"), names)
    globals().update(spin=names["spin"], Spinner=names["Spinner"])
    _thread.start_new_thread(run, (names["Spinner"](),))
    ended.acquire()


def run(spinner):
    spinner.spin(100_000)
    ended.release()


def measure():
    run_new_code()
    while _thread._count():  # until its last objects are freed
        time.sleep(0.001)
    gc.collect()
    first = gc.get_count()[0]
    before = gc.get_count()[0]
    time.sleep(0.3)
    return first, gc.get_count()[0] - before


ended = _thread.allocate_lock()
ended.acquire()
gc.disable()
announce(ready="collector_counts", pid=os.getpid())
for _ in sys.stdin:
    announce(rounds=[measure() for _ in range(5)])
announce(result=digest("collector_counts"), rounds=1, wrong=0)
