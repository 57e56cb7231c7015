"""Threads and tasks that nothing can ever wake ("leaked …"), and others that something can wake
("kept …"), each in the way that its name says. The collector is off, so that leaked tasks stay.

Answers any line with an empty line.
"""

# ruff: noqa: RUF006 - tasks that nothing refers to are what this is about

import asyncio
import functools
import gc
import queue
import sys
import threading
import time
import weakref

from rounds import announce, digest

KEPT = []
NAMED = weakref.WeakValueDictionary()


class Worker(threading.Thread):
    def __init__(self, name):
        super().__init__(name=name, daemon=True)
        self.work = queue.Queue()

    def run(self):
        while True:
            self.work.get()


class Box:
    def __init__(self):
        self.lock = threading.Lock()
        self.lock.acquire()


class Closing:
    """An object in a cycle: a collection will run its finalizer."""

    def __init__(self, work):
        self.work, self.own = work, self

    def __del__(self):
        self.work.put(None)


def start(name, function, *arguments):
    thread = threading.Thread(target=function, args=arguments, name=name, daemon=True)
    thread.start()
    return thread


def get(work):
    work.get()


def enter(lock):
    with lock:
        pass


def enter_box(box):
    box.lock.acquire()


def wait(event):
    event.wait()


def wait_for_death(box):
    """Wait until the object dies. The engine searches while something else still refers to it."""
    event = threading.Event()
    reference = weakref.ref(box.pop(), lambda _: event.set())
    event.wait()
    del reference


def enter_and_sleep(box):
    """Sleep in a `with` block; only this thread's stack refers to the lock."""
    with box.pop():
        time.sleep(1000)


def acquire_from(box):
    lock = box.pop()
    lock.acquire()


def held(make):
    lock = make()
    lock.acquire()
    return lock


def leak_closure():
    work = queue.Queue()

    def get_own():
        work.get()

    start("leaked closure", get_own)


def leak():
    leak_closure()
    start("leaked argument", get, queue.Queue())
    start("leaked lock", enter, held(threading.Lock))
    start("leaked rlock", enter, held(threading.RLock))
    start("leaked event", wait, threading.Event())
    start("leaked simple queue", get, queue.SimpleQueue())
    KEPT.append(start("leaked with a known Thread", get, queue.Queue()))
    Worker("leaked subclass").start()
    shared = queue.Queue()
    start("leaked with another", get, shared)
    start("leaked with another", get, shared)


def keep_on_stack():
    """Keep the only other reference to the queue on the stack of a running thread."""

    def make():
        work = queue.Queue()
        start("kept by a stack", get, work)
        return work

    make().put(time.sleep(1000))


def keep_in_call():
    """Keep the only other reference to the queue in running C code."""
    event = threading.Event()
    start("kept by a call", wait, event)
    list(map(lambda _: time.sleep(1000), [event]))


def keep_weakly():
    box = Box()
    NAMED["box"] = box
    start("kept by a weak reference", enter_box, box)


def keep_by_finalizer():
    work = queue.Queue()
    start("kept by a finalizer", get, work)
    Closing(work)


def keep_by_callbacks():
    thing = Box()
    KEPT.append(thing)
    start("kept by a callback", wait_for_death, [thing])
    unseen = Closing(queue.Queue())
    start("kept by a callback of garbage", wait_for_death, [unseen])


def keep_by_with():
    lock = threading.Lock()
    start("holder of a lock", enter_and_sleep, [lock])
    while not lock.locked():
        time.sleep(0.001)
    start("kept by a with", acquire_from, [lock])


def keep():
    work = queue.Queue()
    start("kept by a global", get, work)
    KEPT.append(work)
    worker = Worker("kept by its Thread")
    worker.start()
    KEPT.append(worker)
    start("holder", keep_on_stack)
    start("caller", keep_in_call)
    keep_weakly()
    keep_by_finalizer()
    keep_by_callbacks()
    keep_by_with()
    event = threading.Event()
    start("kept by a partial", wait, event)
    KEPT.append(functools.partial(threading.Event.set, event))
    start("kept by a timeout", queue.Queue().get, True, 1000)
    start("kept by a join", start("sleeper", time.sleep, 1000).join)


async def wait_for_event():
    await asyncio.Event().wait()


async def wait_for_future():
    await asyncio.get_running_loop().create_future()


async def get_item(work):
    await work.get()


async def wait_for_death_of(box):
    future = asyncio.get_running_loop().create_future()
    reference = weakref.ref(box.pop(), lambda _: future.set_result(None))
    await future
    del reference


async def main():
    loop = asyncio.get_running_loop()
    asyncio.create_task(wait_for_event(), name="leaked event task")
    asyncio.create_task(wait_for_future(), name="leaked future task")
    asyncio.create_task(get_item(asyncio.Queue()), name="leaked queue task")
    work = asyncio.Queue()
    asyncio.create_task(get_item(work), name="kept queue task")
    KEPT.append(asyncio.create_task(wait_for_event(), name="kept task"))
    asyncio.create_task(wait_for_death_of([work]), name="kept by a callback task")
    asyncio.create_task(asyncio.sleep(1000), name="kept by a timer")
    asyncio.create_task(asyncio.wait_for(wait_for_event(), 1000), name="kept by a timeout task")
    await asyncio.sleep(0.1)
    announce(ready="leaking")
    while await loop.run_in_executor(None, sys.stdin.readline):
        announce()
    announce(result=digest(work.qsize()), rounds=1, wrong=0)


if __name__ == "__main__":
    gc.disable()
    keep()
    leak()
    asyncio.run(main())
