"""Two hundred threads, thousands of locks that are made and dropped, forks, in one session."""

import gc
import os
import sys
import threading
import time

from locks import Locks, core, report, start

N_THREADS = 200
SECONDS = float(sys.argv[2])
is_over = False
failures = []
shared = [threading.Lock() for _ in range(8)] + [threading.RLock() for _ in range(8)]


def make_and_drop(number):
    n = 0
    while not is_over:
        own = [threading.Lock() if i % 2 else threading.RLock() for i in range(50)]
        for lock in own:
            with lock, shared[(number + n) % len(shared)]:
                n += 1
                if n % 100 == 0:
                    time.sleep(0)  # with both
            if core.lock_holder(lock):
                failures.append("a free lock has a holder")
        if number % 10 == 0:
            own.append(own)
            own[0].acquire()  # dies while it is held
        time.sleep(0)


def check_in_child():
    """Check locks in a forked child. Returns 0 if all work."""
    core.lock_after_fork()
    core.contention_after_fork()
    core.cpu_after_fork()
    if core.lock_source() or core.lock_waits():
        return 2
    lock = threading.Lock()
    with lock:
        if core.lock_holder(lock):
            return 3
    with Locks() as locks:
        lock.acquire()
        if lock.acquire(timeout=0.001) or core.lock_holder(lock) != threading.get_native_id():
            return 4
        return 0 if locks.total("block", "check_in_child")[0] == 1 else 5


def fork():
    child = os.fork()
    if child == 0:
        os._exit(check_in_child())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


with Locks(block_ns=10000, fraction=10) as locks:
    threads = [start(make_and_drop, number) for number in range(N_THREADS)]
    until = time.monotonic() + SECONDS
    children, most_waiters = [], 0
    while time.monotonic() < until or not children:
        children.append(fork())
        gc.collect()
        most_waiters = max(most_waiters, len(core.lock_waits()))
        time.sleep(0.01)
    is_over = True
    for thread in threads:
        thread.join(60)
    n_alive = sum(thread.is_alive() for thread in threads)
    rest = core.lock_waits()
    status = core.contention_status()
report(
    failures=failures[:5],
    children=sorted(set(children)),
    n_children=len(children),
    n_alive=n_alive,
    rest=rest,
    most_waiters=most_waiters,
    status=status,
)
