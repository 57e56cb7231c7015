"""One thread holds a lock again and again while others want it: holds.py EXTENSION.

Reports the number of charged releases with their weight, and the largest charge, together with the
program's own measurements.
"""

import threading
import time

from locks import Locks, await_waiters, core, report, start

FRACTION, N_HOLDS, N_WAITERS = 5, 2000, 2
N_SHORT = 10_000
LONG_NS = 10_000  # twice what counts as short
is_over = False


def want(lock):
    while not is_over:
        with lock:
            pass


def let_go(lock):
    lock.release()


def hold(lock, released_ns, n_holds, least_ns):
    """Hold the lock while a thread waits. Returns the longest time between two releases."""
    longest_ns = 0
    for _ in range(n_holds):
        taken_ns = time.monotonic_ns()
        await_waiters(1)
        while time.monotonic_ns() - taken_ns < least_ns:
            pass
        began_ns, released_ns = released_ns, time.monotonic_ns()
        let_go(lock)
        longest_ns = max(longest_ns, time.monotonic_ns() - began_ns)
        lock.acquire()
    return longest_ns


def measure(lock, fraction, n_holds=N_HOLDS, least_ns=LONG_NS):
    global is_over
    is_over = False
    with Locks(fraction=fraction) as locks:
        core.contention_seed(5)
        began_ns = time.monotonic_ns()
        lock.acquire()
        threads = [start(want, lock) for _ in range(N_WAITERS)]
        await_waiters(N_WAITERS)
        longest_ns = hold(lock, began_ns, n_holds, least_ns)
        is_over = True
        lock.release()
        for thread in threads:
            thread.join()
        count, _ = locks.total("mutex", "let_go")
        return dict(
            n_contended=n_holds,
            longest_ns=longest_ns,
            count=count,
            n_pairs=locks.total("pair", "let_go")[0],
            most_ns=max(row.max_ns for row in locks.read("pair", "let_go")),
        )


report(
    lock=measure(threading.Lock(), FRACTION),
    rlock=measure(threading.RLock(), FRACTION),
    short=measure(threading.Lock(), FRACTION, N_SHORT, 0),
    every=measure(threading.Lock(), 1, least_ns=0),
)
