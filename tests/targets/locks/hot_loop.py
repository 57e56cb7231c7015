"""A loop that a JIT has made machine code of, before the hooks come and after they have gone."""

import threading

from locks import Locks, core, report

lock = threading.Lock()


def count_known(n):
    """How often it is known who holds the lock, which only the hooks know."""
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
