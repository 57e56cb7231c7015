"""Locks, queues, events, futures that threads wait for, kept in every way that programs keep them.

``old``  waits for those that exist before the attach
``new``  makes some more of each, and waits for them
``many`` makes N_MANY locks at one line, and waits for each
``tasks`` waits for asyncio's primitives in tasks
``wait`` starts threads that wait, and ``go on`` ends their waits

A word is answered twice: after the waits, and, after another line, when local objects have been
freed.
"""

import asyncio
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
TOGETHER = threading.Barrier(2)
BY_CITY = {"eu": threading.Lock(), "us": threading.Lock()}
ROW = [threading.Lock() for _ in range(4)]
LINE = collections.deque([threading.Lock() for _ in range(3)])
PAIR = (threading.RLock(), threading.RLock())
NESTED = {"by": [{7: threading.Lock()}]}
OF_TASKS = {}
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


def is_asleep(thread):
    with open(f"/proc/self/task/{thread.native_id}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def take(lock, held_s=HELD_S):
    """Wait for a lock that another thread holds for a while."""
    held = threading.Event()
    waiter = threading.current_thread()

    def hold():
        with lock:
            held.set()
            time.sleep(held_s)
            while not is_asleep(waiter):  # on a busy machine it may not wait yet
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


def arrive(barrier):
    barrier.wait()


def meet(barrier):
    """Wait at a barrier where another thread already waits."""
    first = threading.Thread(target=arrive, args=(barrier,))
    first.start()
    while not barrier.n_waiting:
        time.sleep(BRIEFLY_S)
    time.sleep(HELD_S)
    barrier.wait()
    first.join()


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
    meet(TOGETHER)
    stay()


def stay():
    """Stay while a profiler looks."""
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


async def take_in_task(lock):
    async with lock:
        await asyncio.sleep(HELD_S)


async def wait_for_change_in_task(changed):
    async with changed:
        await asyncio.wait_for(changed.wait(), HELD_S)


async def wait_as_tasks():
    of_3_11 = [asyncio.Barrier] if sys.version_info >= (3, 11) else []
    for kind in (asyncio.Lock, asyncio.Semaphore, asyncio.Event, asyncio.Condition, asyncio.Queue):
        OF_TASKS[kind.__name__] = kind()
    for kind in of_3_11:
        OF_TASKS[kind.__name__] = kind(2)
    for name in ("Lock", "Semaphore"):
        await asyncio.gather(*(take_in_task(OF_TASKS[name]) for _ in range(2)))
    for call in (OF_TASKS["Event"].wait, OF_TASKS["Queue"].get):
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(call(), HELD_S)
    with contextlib.suppress(asyncio.TimeoutError):
        await wait_for_change_in_task(OF_TASKS["Condition"])
    for kind in of_3_11:
        barrier = OF_TASKS[kind.__name__]
        await asyncio.gather(*(barrier.wait() for _ in range(2)))
    stay()


def run_tasks():
    asyncio.run(wait_as_tasks())


waiting = []


def wait_in_change():
    with CHANGED:
        CHANGED.wait()


def begin_to_wait():
    for call in (JOBS.get, READY.wait, wait_in_change, TOGETHER.wait):
        waiting.append(threading.Thread(target=call))
        waiting[-1].start()
    while not (TOGETHER.n_waiting and all(is_asleep(thread) for thread in waiting)):
        time.sleep(BRIEFLY_S)


def let_go_on():
    JOBS.put(None)
    READY.set()
    with CHANGED:
        CHANGED.notify()
    TOGETHER.wait()
    for thread in waiting:
        thread.join()


WORDS = {
    "old": wait_for_old,
    "new": wait_for_new,
    "many": wait_for_many,
    "tasks": run_tasks,
    "wait": begin_to_wait,
    "go on": let_go_on,
}

announce(ready="named_locks", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    WORDS.get(word, dict)()
    announce(word=word)
POOL.shutdown()
announce(result=digest("named_locks"), rounds=1, wrong=0)
