"""Threads that have been started begin while recording of starts begins: as soon as their states
were read. Are all found?"""

import _thread
import ctypes
import threading

from sampler import core, report

N = 3

births = ctypes.CDLL(None)
begun = threading.Semaphore(0)
stop = threading.Event()
tids = []


def run():
    tids.append(threading.get_native_id())
    begun.release()
    stop.wait()


core.cpu_prepare()
births.hold_births(1)
for _ in range(N):
    _thread.start_new_thread(run, ())
births.release_births_in_sort()
core.creations_open()
before = core.creations_before()
for _ in range(N):
    begun.acquire()
found = core.creations_look()
core.creations_close()
core.cpu_unprepare()
stop.set()
report(before=before, are_found=sorted(found) == sorted(tids))
