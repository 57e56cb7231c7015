"""A loop that a JIT has compiled, before the hooks are installed and after they are removed."""

import threading

from locks import Locks, core, report

lock = threading.Lock()


def count_known(n):
    """Return how often the lock's holder is known, which only the hooks record."""
    n_known = 0
    for _ in range(n):
        lock.acquire()
        if core.lock_holder(lock):
            n_known += 1
        lock.release()
    return n_known


before = count_known(50_000)
with Locks():
    during = count_known(10_000)
after = count_known(10_000)
with Locks():
    again = count_known(10_000)
report(counts=[before, during, after, again])
