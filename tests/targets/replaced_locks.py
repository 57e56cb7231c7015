"""Threads that contend for one real lock, in a program that replaces the names of lock classes.

LIBRARY: ``gevent`` or ``eventlet`` patch everything; with ``own`` the program replaces the names
by classes that note every use: only this program may make or take one of these locks.
The first line reports a ``missing`` library.
"""

import _queue
import _thread
import os
import time

from rounds import announce, digest, is_stopped

HELD_S = 0.01
LIBRARY = os.environ["LIBRARY"]
LOCK = _thread.allocate_lock()
start, sleep = _thread.start_new_thread, time.sleep
n_foreign_uses = 0
is_over = False


class Replaced:
    """A class that looks like any lock class, with objects that look like any lock."""

    def __init__(self):
        global n_foreign_uses
        n_foreign_uses += 1

    def acquire(self, *_):
        global n_foreign_uses
        n_foreign_uses += 1
        return True

    release = __enter__ = __exit__ = get = join = acquire_lock = release_lock = acquire


def replace():
    """Replace the names. Returns False if the library is missing."""
    try:
        if LIBRARY == "gevent":
            import gevent.monkey

            gevent.monkey.patch_all()
        elif LIBRARY == "eventlet":
            import warnings

            warnings.simplefilter("ignore")
            os.environ["EVENTLET_NO_GREENDNS"] = "yes"  # its resolver does not load on 3.9
            import eventlet

            eventlet.monkey_patch()
        else:
            for name in ("LockType", "allocate_lock", "allocate", "RLock", "lock", "_ThreadHandle"):
                setattr(_thread, name, Replaced)
            _queue.SimpleQueue = Replaced
    except ImportError:
        return False
    return True


def fight():
    while not is_over:
        with LOCK:
            keep()
        sleep(HELD_S)  # else a busy machine gives the lock to the same thread again and again


def keep():
    sleep(HELD_S)


has_library = replace()
for _ in range(3):
    start(fight, ())
announce(ready="replaced locks", pid=os.getpid(), has_library=has_library)
while not is_stopped():
    (time.sleep if LIBRARY != "own" else sleep)(0.02)
is_over = True
sleep(0.2)
announce(result=digest(LIBRARY), rounds=1, wrong=n_foreign_uses)
