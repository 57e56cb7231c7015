"""Structures made of locks: conditions, queues, semaphores, pools, logging, readers and writers."""

import asyncio
import io
import logging
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

from exclusion import pause, work

LOCK = threading.Lock()
CONDITION = threading.Condition(threading.Lock())
SHARED = threading.Condition(threading.RLock())
QUEUE, SIMPLE = queue.Queue(4), queue.SimpleQueue()
SEMAPHORE, BARRIER, EVENT = threading.Semaphore(2), threading.Barrier(3), threading.Event()


def conditions(ground):
    """A buffer with one place, whose lock is held while items are put and taken."""
    items = []
    mark = ground.mark(CONDITION._lock)

    def put():
        with CONDITION:
            mark.taken()
            while len(items) > 2:
                mark.given()
                CONDITION.wait()
                mark.taken()
            items.append(1)
            pause(0.001)
            CONDITION.notify_all()
            mark.given()

    def take():
        with CONDITION:
            mark.taken()
            while not items:
                mark.given()
                CONDITION.wait()
                mark.taken()
            items.pop()
            CONDITION.notify_all()
            mark.given()

    ground.start(2, put)
    ground.start(2, take)


def recursive_conditions(ground):
    """A condition of an RLock that the waiting thread has taken twice."""
    turns = [0]
    mark = ground.mark(SHARED._lock)

    def step(number):
        with SHARED:
            mark.taken()
            with SHARED:
                while turns[0] % 3 != number:
                    mark.given()
                    SHARED.wait()
                    mark.taken()
                pause(0.002)
                turns[0] += 1
                SHARED.notify_all()
            mark.given()

    for number in range(3):
        ground.start(1, step, number)


def queues(ground):
    ground.start(2, lambda: QUEUE.put(work()))
    ground.start(2, lambda: (QUEUE.get(), SIMPLE.put(1), pause(0.001)))
    ground.start(1, SIMPLE.get)


def semaphores(ground):
    mark = ground.mark(LOCK)

    def step():
        with SEMAPHORE:
            pause(0.002)
            with LOCK:
                mark.taken()
                work()
                mark.given()
        pause(0.002)

    ground.start(5, step)


def barriers(ground):
    def meet():
        BARRIER.wait()
        pause(0.001)

    def ring():
        EVENT.set()
        pause(0.001)
        EVENT.clear()
        pause(0.001)

    ground.start(3, meet)
    ground.start(2, lambda: EVENT.wait(0.01))
    ground.start(1, ring)


def pools(ground):
    """Thread pools whose tasks take a lock, and threads that wait for results."""
    mark, pool = ground.mark(LOCK), ThreadPoolExecutor(4)

    def task():
        with LOCK:
            mark.taken()
            pause(0.001)
            mark.given()

    def step():
        for future in [pool.submit(task) for _ in range(8)]:
            future.result()

    ground.start(2, step)


def loggers(ground):
    handler = logging.StreamHandler(io.StringIO())
    mark = ground.mark(handler.lock)
    emit = handler.emit

    def slow_emit(record):
        mark.taken()
        emit(record)
        pause(0.001)
        mark.given()

    handler.emit = slow_emit
    logger = logging.getLogger("healthy")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    ground.start(4, logger.info, "a line")


def loops(ground):
    """asyncio.to_thread, with a lock in the threads."""
    mark = ground.mark(LOCK)

    def task():
        with LOCK:
            mark.taken()
            pause(0.001)
            mark.given()

    async def main():
        await asyncio.gather(*(asyncio.to_thread(task) for _ in range(6)))

    ground.start(1, lambda: asyncio.run(main()))


class ReadersWriter:
    """Many readers or one writer."""

    def __init__(self):
        self.condition = threading.Condition(threading.Lock())
        self.n_readers = 0

    def read(self, mark):
        with self.condition:
            mark.taken()
            self.n_readers += 1
            mark.given()
        pause(0.002)
        with self.condition:
            mark.taken()
            self.n_readers -= 1
            self.condition.notify_all()
            mark.given()
        pause(0.005)

    def write(self, mark):
        with self.condition:
            mark.taken()
            while self.n_readers:
                mark.given()
                self.condition.wait()
                mark.taken()
            pause(0.002)
            mark.given()


def readers_and_writers(ground):
    shared = ReadersWriter()
    mark = ground.mark(shared.condition._lock)
    ground.start(3, shared.read, mark)
    ground.start(2, shared.write, mark)
