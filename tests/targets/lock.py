"""The main thread waits for a lock that another thread holds."""

import threading

from rounds import run_rounds

held = threading.Lock()
held.acquire()


def wait_for_lock():
    return held.acquire(timeout=0.5)


run_rounds("lock", wait_for_lock)
