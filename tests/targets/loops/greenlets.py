"""Native threads of a program patched by gevent. Greenlets wake threads named "by …", and only they
have the lock; nothing wakes the thread in ``leak``.

At the end of its input the program wakes all, and prints as ``wrong`` threads that stay asleep.
"""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest

try:
    import gevent.monkey

    gevent.monkey.patch_all()
    import gevent
    import gevent.event
    import gevent.queue
    import greenlet
except ImportError:
    announce(ready="gevent", pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)

import gc
import time

new_lock = gevent.monkey.get_original("_thread", "allocate_lock")
start_new_thread = gevent.monkey.get_original("_thread", "start_new_thread")
ASLEEP, AWAKE = set(), set()
PATIENCE_S = 30


def held():
    lock = new_lock()
    lock.acquire()
    return lock


def enter(name, lock):
    with lock:
        AWAKE.add(name)


def leak():
    lock = held()
    with lock:
        pass


def start(name, lock):
    """Start a thread that gevent does not know."""
    ASLEEP.add(name)
    start_new_thread(enter, (name, lock))


def release_after(event, lock):
    event.wait()
    lock.release()


def wake_by_greenlets(event):
    """Keep the lock in the frame of a waiting greenlet, at several depths."""
    lock = held()
    start("by a greenlet", lock)
    gevent.spawn(release_after, event, lock)

    def dive(depth, lock):
        return dive(depth - 1, lock) if depth else release_after(event, lock)

    deep = held()
    start("by a deep greenlet", deep)
    gevent.spawn(dive, 50, deep)


def wake_by_timer(flags):
    """Keep the lock only in a C watcher of the event loop."""
    lock = held()
    start("by a timer", lock)

    def tick():
        if flags:
            lock.release()
        else:
            gevent.spawn_later(0.05, tick)

    tick()


def wake_by_raw_greenlet():
    """Wake by a greenlet that gevent did not start: its parent switches to it at the end."""
    lock = held()
    start("by a raw greenlet", lock)

    def wait(lock):
        greenlet.getcurrent().parent.switch()
        lock.release()

    raw = greenlet.greenlet(wait)
    raw.switch(lock)
    return raw


def wake_in_pool(event):
    """Let a worker of a thread pool wait; a callback of its result wakes another thread."""
    pool = gevent.get_hub().threadpool
    lock, inner = held(), held()
    ASLEEP.add("in the pool")
    answer = pool.spawn(enter, "in the pool", inner)
    gevent.spawn(release_after, event, inner)
    start("by a link", lock)
    answer.rawlink(lambda _: lock.release())
    pool.apply(sum, (range(10),))


def run():
    gc.disable()
    event, flags = gevent.event.Event(), []
    wake_by_greenlets(event)
    wake_by_timer(flags)
    raw = wake_by_raw_greenlet()
    wake_in_pool(event)
    start_new_thread(leak, ())
    gevent.sleep(0.2)
    announce(ready="gevent", pid=os.getpid(), has_library=True)
    while sys.stdin.readline():
        announce()
    flags.append(True)
    event.set()
    raw.switch()
    deadline = time.monotonic() + PATIENCE_S
    while not AWAKE >= ASLEEP and time.monotonic() < deadline:
        gevent.sleep(0.01)
    for name in sorted(ASLEEP - AWAKE):
        sys.stderr.write(f"still asleep: {name}\n")
    announce(result=digest(sorted(ASLEEP)), rounds=1, wrong=len(ASLEEP - AWAKE))
    os._exit(0)


run()
