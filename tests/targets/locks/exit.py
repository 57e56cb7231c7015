"""The interpreter ends while threads wait, and with hooks in place."""

import atexit
import queue
import threading

from locks import Locks, await_waiters, core, report, start

lock, recursive, numbers = threading.Lock(), threading.RLock(), queue.SimpleQueue()


def hold():
    with lock, recursive:
        threading.Event().wait()


def want():
    while True:
        if lock.acquire(timeout=0.001):
            lock.release()


locks = Locks()
locks.__enter__()
start(hold)
await_waiters(1)
for function in (lock.acquire, recursive.acquire, lock.__enter__, numbers.get, want):
    start(function)
threading.Thread(target=lock.acquire, kwargs={"timeout": 0.2}).start()
await_waiters(6)
atexit.register(lambda: lock.release())
report(n_waiting=len(core.lock_waits()) > 5)
