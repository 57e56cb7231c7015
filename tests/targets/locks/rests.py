"""A thread that sleeps, runs for a moment, and sleeps again in the same call."""

import threading
import time

from locks import core, report, start

PATIENCE_S = 5  # later Pythons may sleep elsewhere in the end


def read_state(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0]


def read_call(tid):
    with open(f"/proc/self/task/{tid}/syscall", encoding="ascii") as file:
        return file.read()


def wait_until(is_so):
    patience = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < patience:
        time.sleep(0.001)


def play(timeout):
    """[what is noted of it asleep, does it rest, does it after it has run, is it the same call]"""
    lock, tids, n = threading.Lock(), [], [0]
    is_over = []
    lock.acquire()

    def wait():
        tids.append(threading.get_native_id())
        while not is_over:
            lock.acquire(timeout=timeout)
            n[0] += 1

    thread = start(wait)
    wait_until(lambda: tids and read_state(tids[0]) == "S" and "running" not in read_call(tids[0]))
    (tid,) = tids
    noted = core.lock_note_rest(tid)
    call = read_call(tid)
    rests = core.lock_rests_yet(tid)
    lock.release()  # it takes it, and waits again
    wait_until(lambda: n[0] == 1 and read_state(tid) == "S" and read_call(tid) == call)
    is_same = read_call(tid) == call
    rests_after = core.lock_rests_yet(tid)
    is_over.append(True)
    lock.release()
    thread.join()
    return [noted, rests, rests_after, is_same, core.lock_rests_yet(tid)]


report(endless=play(-1), timed=play(1000))
