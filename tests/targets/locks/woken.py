"""A waiter from before the hooks is woken: it has the lock, but needs the GIL to record it.

Another thread then finds a lock that looks free, but is held. It is no holder: it waits.
"""

import sys
import threading
import time

from locks import Locks, core, report, start

SPIN_NS = 20_000_000
N_ROUNDS = 5
PATIENCE_S = 5


def spin():
    """Keep the GIL, so that the woken thread only takes the lock."""
    until_ns = time.monotonic_ns() + SPIN_NS
    while time.monotonic_ns() < until_ns:
        pass


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def wait_until(is_so):
    patience = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < patience:
        time.sleep(0.001)


def play(kind):
    """Return, while the woken thread holds the lock: [whether the contender waits, whether it is
    registered, the holder that the hooks know]."""
    lock = kind()
    is_held, is_hooked, may_end = threading.Event(), threading.Event(), threading.Event()
    tids = {}

    def wait():
        tids["woken"] = threading.get_native_id()
        lock.acquire()
        is_held.set()
        may_end.wait()
        lock.release()

    def contend():
        tids["contender"] = threading.get_native_id()
        lock.acquire()
        woken = start(wait)
        wait_until(lambda: "woken" in tids and is_asleep(tids["woken"]))
        is_hooked.wait()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        try:
            lock.release()
            spin()
            lock.acquire()  # the woken thread's, or taken before it: both are right
        finally:
            sys.setswitchinterval(interval)
        lock.release()
        woken.join()

    contender = start(contend)
    wait_until(lambda: "woken" in tids and is_asleep(tids["woken"]))
    with Locks():
        is_hooked.set()
        is_held.wait()
        wait_until(
            lambda: (
                not contender.is_alive()
                or any(wait[0] == tids["contender"] and wait[2] for wait in core.lock_waits())
            )
        )
        is_registered = any(wait[0] == tids["contender"] for wait in core.lock_waits())
        names = {tid: name for name, tid in tids.items()}
        holder = names.get(core.lock_holder(lock), "")
        seen = [contender.is_alive(), is_registered, holder]
        may_end.set()
        contender.join()
    return seen


report(
    plain=[play(threading.Lock) for _ in range(N_ROUNDS)],
    recursive=[play(threading.RLock) for _ in range(N_ROUNDS)],
)
