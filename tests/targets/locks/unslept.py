"""A thread that has begun to wait but does not sleep yet, because it gets no processor; and a
second session, for which the wait is from before the hooks. The wait must be known.
"""

import os
import threading
import time

from locks import Locks, core, look, report, start

N_ROUNDS = 5


def stay_behind(cpu):
    """Run the calling thread on one processor only, and only if no other thread wants it."""
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def is_running(tid):
    """Return whether a thread is in no system call."""
    with open(f"/proc/self/task/{tid}/syscall", encoding="ascii") as file:
        return file.read().startswith("running")


def play(cpu):
    """[was it awake when the second session looked, its row, the same when it sleeps]"""
    lock, tids, may_wait = threading.Lock(), [], []

    def wait():
        stay_behind(cpu)
        tids.append(threading.get_native_id())
        while not may_wait:
            time.sleep(0.001)
        with lock:
            pass

    def read(looked):
        (tid,) = tids
        own = [wait for wait in looked if wait[0] == tid]
        return [[call, holder == me, inside] for _, call, _, _, holder, inside in own]

    thread = start(wait)
    while not tids:
        time.sleep(0.001)
    with lock:
        with Locks():
            may_wait.append(True)
            while not core.lock_waits():  # without a sleep, which would be its turn
                pass
        was_awake = is_running(tids[0])
        with Locks():
            rows = read(look(10**9))
            waits = [wait[0] for wait in core.lock_waits()] == tids
        with Locks():
            while is_running(tids[0]):
                time.sleep(0.001)
            later = read(look(10**9))
    thread.join()
    return [was_awake, waits, rows, later]


me = threading.get_native_id()
cpu = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
rounds = [play(cpu) for _ in range(N_ROUNDS)]
with Locks():
    rest = core.lock_waits()
report(rounds=rounds, rest=rest)
