"""Frames that a record keeps: functions of the standard library, with locks that only record.

The functions must call the recorder directly, so it is a ``partial``, which has no frame.
"""

import queue
import sys
import threading
from functools import partial

from contention import BLOCK, MUTEX, PAIR, PRIMITIVES, Contention, core, report

ACQUIRE, ENTER = PRIMITIVES["Lock.acquire"], PRIMITIVES["Lock.__enter__"]
RELEASE, RESTORE = PRIMITIVES["Lock.release"], PRIMITIVES["RLock._acquire_restore"]
OF_PROGRAM, SLEEPERS = 0x1000, 0x2000


class Lock:
    """The lock of a condition, or the lock that a thread sleeps on."""

    def __init__(self, address):
        self.acquire = partial(core.contention_note_wait, BLOCK, ACQUIRE, address, 10)
        self.enter = partial(core.contention_note_wait, BLOCK, ENTER, address, 10)
        self.release = partial(core.contention_note_mutex, RELEASE, address, [(0, 10)])
        self.__dict__["__enter__"] = self.enter

    def _is_owned(self):
        return True

    def locked(self):
        return True

    def __exit__(self, *error):
        pass


class ReentrantLock(Lock):
    def __init__(self, address):
        super().__init__(address)
        self._release_save = int
        # gets 0, what int() gave, for its stack
        self._acquire_restore = partial(core.contention_note_wait, BLOCK, RESTORE, address, 10)


class Queue(queue.Queue):
    """A queue that is empty only at the first look."""

    def __init__(self):
        super().__init__()
        self.not_empty = threading.Condition(Lock(OF_PROGRAM))
        self.not_full = threading.Condition(Lock(OF_PROGRAM))
        self.looks = 0

    def _qsize(self):
        self.looks += 1
        return self.looks - 1

    def _get(self):
        pass


def wait_in_condition(condition):
    condition.wait()


def wake_by_condition(condition):
    condition.notify()


def wait_in_queue(queue):
    queue.get()


def wait_plainly(lock):
    lock.acquire()


def hold_plainly(lock):
    lock.release()


def hold_semaphore(semaphore):
    semaphore.release()


def go_down(depth, lock):
    if depth:
        go_down(depth - 1, lock)
    else:
        lock.acquire()


def send_rows(session):
    """Return changed rows: [kind, frames up to the program's, whether it has a lock, count]."""
    found = []
    for row in session.read(only_changed=True):
        if row.kind != PAIR:
            names = list(row.names)
            depth = names.index("<module>")
            found.append([row.kind, names[:depth], row.lock != 0, row.count])
    return sorted(found)


facts = {}
threading._allocate_lock = lambda: Lock(SLEEPERS)
with Contention() as session:
    plain = Lock(OF_PROGRAM)
    wait_plainly(plain)
    hold_plainly(plain)
    facts["plain"] = send_rows(session)

    condition = threading.Condition(Lock(OF_PROGRAM))
    wait_in_condition(condition)
    facts["condition"] = send_rows(session)
    condition = threading.Condition(ReentrantLock(OF_PROGRAM))
    wait_in_condition(condition)
    facts["reentrant"] = send_rows(session)
    wake_by_condition(condition)
    facts["woken"] = send_rows(session)

    wait_in_queue(Queue())
    facts["queue"] = send_rows(session)

    semaphore = threading.Semaphore(0)
    semaphore._cond = threading.Condition(ReentrantLock(OF_PROGRAM))
    semaphore._cond.__dict__["__enter__"] = int
    semaphore._cond._waiters.append(Lock(SLEEPERS))
    hold_semaphore(semaphore)
    facts["semaphore"] = [row for row in send_rows(session) if row[0] == MUTEX]

    sys.setrecursionlimit(2000)
    for depth in (130, 400):
        go_down(depth, plain)
    deep = sorted(row.names for row in session.read(only_changed=True))
    facts["deep"] = [[len(names), names[0], names[1], names[-1]] for names in deep]
    facts["n_bad_walks"] = core.contention_status()["n_bad_walks"]
report(**facts)
