"""Locks, queues, events, futures that threads wait for, kept in every way that programs keep them.

``old``  waits for those that are there before anybody attaches
``new``  makes some more of each, and waits for them
``many`` makes N_MANY locks at one line, and waits for each

A word is answered twice: when all have been waited for, and, after another line, when those of
them that are local have gone.
"""

import collections
import concurrent.futures
import contextlib
import os
import queue
import sys
import threading
import time
import weakref

from rounds import announce, digest

HELD_S, BRIEFLY_S = 0.03, 0.005
N_MANY = 80

PLAIN = threading.Lock()
JOBS = queue.Queue()
READY = threading.Event()
CHANGED = threading.Condition()
SLOTS = threading.Semaphore(0)
BY_CITY = {"eu": threading.Lock(), "us": threading.Lock()}
ROW = [threading.Lock() for _ in range(4)]
LINE = collections.deque([threading.Lock() for _ in range(3)])
PAIR = (threading.RLock(), threading.RLock())
NESTED = {"by": [{7: threading.Lock()}]}
EVENTS = {"start": threading.Event()}


class Shard:
    def __init__(self):
        self._lock = threading.Lock()


class Key:
    """Something to hang a lock on."""


class Store:
    def __init__(self):
        self.shards = [Shard() for _ in range(3)]
        self.by_table = {"users": threading.Lock()}
        self.filled = threading.Event()
        self.inbox = queue.Queue()


STORE = Store()
KEY = Key()
REGISTRY = weakref.WeakKeyDictionary({KEY: threading.Lock()})


def make_counter():
    counter_lock = threading.Lock()

    def count():
        with counter_lock:
            return counter_lock

    return count


COUNT = make_counter()
POOL = concurrent.futures.ThreadPoolExecutor(1)


def take(lock, held_s=HELD_S):
    """Wait for a lock that another thread holds for a while."""
    held = threading.Event()

    def hold():
        with lock:
            held.set()
            time.sleep(held_s)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    with lock:
        pass
    holder.join()


def wait_for_change(condition):
    with condition:
        condition.wait(HELD_S)


def get_nothing(jobs):
    with contextlib.suppress(queue.Empty):
        jobs.get(timeout=HELD_S)


def wait_for_old():
    local_lock = threading.Lock()
    for lock in (PLAIN, BY_CITY["eu"], ROW[2], LINE[1], PAIR[1], NESTED["by"][0][7]):
        take(lock)
    for lock in (STORE.shards[1]._lock, STORE.by_table["users"], REGISTRY[KEY], COUNT()):
        take(lock)
    take(local_lock)
    for jobs in (JOBS, STORE.inbox):
        get_nothing(jobs)
    for event in (READY, EVENTS["start"], STORE.filled):
        event.wait(HELD_S)
    wait_for_change(CHANGED)
    SLOTS.acquire(timeout=HELD_S)
    stay()


def stay():
    """While somebody looks."""
    announce(is_waiting=True)
    sys.stdin.readline()


def make_queue():
    return queue.Queue()  # made here: queue


def wait_for_new():
    kept = [threading.Lock(), threading.RLock()]  # made here: locks
    made = make_queue()
    ready = threading.Event()  # made here: event
    condition = threading.Condition()  # made here: condition
    shared = threading.Condition(kept[0])
    for lock in kept:
        take(lock)
    get_nothing(made)
    ready.wait(HELD_S)
    wait_for_change(condition)
    wait_for_change(shared)
    future = POOL.submit(time.sleep, HELD_S)  # made here: future
    future.result()
    stay()


def wait_for_many():
    for _ in range(N_MANY):
        take(threading.Lock(), BRIEFLY_S)  # made here: many
    stay()


WORDS = {"old": wait_for_old, "new": wait_for_new, "many": wait_for_many}

announce(ready="named_locks", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    WORDS.get(word, dict)()
    announce(word=word)
POOL.shutdown()
announce(result=digest("named_locks"), rounds=1, wrong=0)
