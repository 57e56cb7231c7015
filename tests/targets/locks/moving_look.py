"""Snapshot of waits during which threads continue: the result must be of one moment.

A program runs between the slices of a snapshot; here it does so on request.
"""

import threading
import time

from locks import Locks, await_waiters, core, report, start

MANY_SLICES = 10_000


class Thread:
    """Does one action after the other, each on request."""

    def __init__(self):
        self.steps = []
        self.is_reported = threading.Semaphore(0)
        self.n_done = 0
        self.thread = start(self.run)

    def run(self):
        self.tid = threading.get_native_id()
        while True:
            self.is_reported.acquire()
            step = self.steps.pop(0)
            if step is None:
                return
            step()
            self.n_done += 1

    def go(self, step):
        self.steps.append(step)
        self.is_reported.release()

    def end(self):
        self.go(None)
        self.thread.join()

    def do(self, step):
        n = self.n_done
        self.go(step)
        while self.n_done == n:
            time.sleep(0.001)


def wait_until_waiting(thread, lock):
    """Wait until the thread waits for `lock`, which is held."""
    number = core.contention_lock(id(lock), 1)
    while not any(
        wait[0] == thread.tid and wait[2] == number for wait in await_waiters(1, "Lock.acquire")
    ):
        time.sleep(0.001)


def look_until(is_so):
    core.lock_look_begin()
    for n in range(MANY_SLICES):
        if is_so(n):
            return None
        reported = core.lock_look_go_on(0)
        if reported is not None:
            return reported
    raise AssertionError("a look that has no end")


def go_on(reported):
    while reported is None:
        reported = core.lock_look_go_on(10**9)
    return reported


def read(reported, *threads):
    """Return (waiter, holder) of plain locks, as positions among these threads."""
    places = {thread.tid: place for place, thread in enumerate(threads)}
    return sorted(
        (places[tid], places.get(holder, -1))
        for tid, call, _, _, holder, _ in reported
        if tid in places and holder
    )


def exchange(n_slices):
    """Let the first thread wait for the second, and later the second for the first."""
    x, y = threading.Lock(), threading.Lock()
    first, second = Thread(), Thread()
    second.do(x.acquire)
    first.do(y.acquire)
    first.go(x.acquire)
    wait_until_waiting(first, x)
    reported = look_until(lambda n: n == n_slices)
    is_over = reported is not None  # there are no more slices than that
    second.do(x.release)
    while first.n_done < 2:
        time.sleep(0.001)
    second.go(y.acquire)
    wait_until_waiting(second, y)
    rows = read(go_on(reported), first, second)
    y.release()
    first.end()
    second.end()
    return rows == ([(0, 1)] if is_over else [(1, 0)]), is_over


def come_late():
    """Let a thread, and a new thread, begin to wait after all were read: both must be reported."""
    lock = threading.Lock()
    lock.acquire()
    n_slices = count_slices() - 1
    early = Thread()
    reported = look_until(lambda n: n == n_slices)
    assert reported is None
    early.go(lock.acquire)
    wait_until_waiting(early, lock)
    late = Thread()
    late.go(lock.acquire)
    wait_until_waiting(late, lock)
    rows = {tid: holder for tid, _, _, _, holder, _ in go_on(None)}
    found = [rows.get(early.tid), rows.get(late.tid)] == [threading.get_native_id()] * 2
    lock.release()
    early.go(lock.release)
    return found


def count_slices():
    n = []
    look_until(n.append)
    return len(n)


facts = {}
with Locks():
    n_slices = count_slices()
    outcomes = []
    is_over = False
    while not is_over:
        is_right, is_over = exchange(len(outcomes))
        outcomes.append(is_right)
    facts["outcomes"] = outcomes
    facts["n_slices"] = n_slices
    facts["come_late"] = come_late()
report(**facts)
