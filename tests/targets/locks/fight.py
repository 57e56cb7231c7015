"""Threads contend for locks while hooks come and go: no wake-up is lost, none waits forever.

fight.py EXTENSION SECONDS: that long, and longer where that is not enough for every kind of session
"""

import queue
import sys
import threading
import time

from locks import Locks, core, report, start

N_EACH = 3
N_SESSIONS = 12  # all kinds of sessions that the remainders below give
SECONDS = float(sys.argv[2])
is_over = False


class Counter:
    """A counter that only its lock protects: its steps are separate, so that a race would show."""

    def __init__(self, lock):
        self.lock = lock
        self.value = 0

    def add(self):
        value = self.value
        for _ in range(3):
            pass
        self.value = value + 1


def add_by_with(counter):
    n = 0
    while not is_over:
        with counter.lock:
            counter.add()
        n += 1
    return n


def add_by_calls(counter):
    n = 0
    acquire, release = counter.lock.acquire, counter.lock.release
    while not is_over:
        if acquire(timeout=20):
            counter.add()
            release()
            n += 1
    return n


def add_by_trying(counter):
    n = 0
    while not is_over:
        if counter.lock.acquire(False):
            counter.add()
            counter.lock.release()
            n += 1
        time.sleep(0)
    return n


def add_by_condition(counter):
    condition = threading.Condition(counter.lock)
    n = 0
    while not is_over:
        with condition:
            condition.wait(0.0001)
            counter.add()
        n += 1
    return n


def keep(results, function, *arguments):
    results.append(function(*arguments))


def run_lock(make):
    counter, results = Counter(make()), []
    ways = [add_by_with, add_by_calls, add_by_trying, add_by_condition]
    return (
        counter,
        results,
        [start(keep, results, way, counter) for way in ways for _ in range(N_EACH)],
    )


def produce(numbers):
    n = 0
    while not is_over:
        numbers.put(n)
        n += 1
        if n % 50 == 0:
            time.sleep(0)
    return n


def consume(numbers):
    n = 0
    while numbers.get() is not None:
        n += 1
    return n


def come_and_go():
    """Attach and detach in a loop; in some sessions lock states cannot be read."""
    n, sources, problems = 0, set(), []
    until = time.monotonic() + SECONDS
    while n < N_SESSIONS or time.monotonic() < until:
        with Locks(block_ns=(0, 1, 10000)[n % 3], fraction=(0, 1, 10)[n % 3]) as locks:
            if n % 4 == 3:
                core.lock_forget_words()
            sources.add(core.lock_source())
            if n % 5 == 0:
                time.sleep(0.005)
            core.lock_waits()
            problems += [row for row in locks.read("block") if row.total_ns <= 0]
        n += 1
    return n, sorted(sources), problems


locks_ = [run_lock(threading.Lock), run_lock(threading.RLock)]
produced, consumed = [], []
queues = [queue.Queue(100), queue.SimpleQueue()]
producers = [start(keep, produced, produce, numbers) for numbers in queues]
consumers = [start(keep, consumed, consume, numbers) for numbers in queues for _ in range(2)]
n_sessions, sources, problems = come_and_go()
is_over = True
for _, _, threads in locks_:
    for thread in threads:
        thread.join(30)
for thread in producers:
    thread.join(30)
for numbers in queues:
    numbers.put(None)
    numbers.put(None)
for thread in consumers:
    thread.join(30)
report(
    n_sessions=n_sessions,
    sources=sources,
    problems=problems,
    n_alive=threading.active_count() - 1,
    counted=[counter.value for counter, _, _ in locks_],
    added=[sum(results) for _, results, _ in locks_],
    n_produced=sum(produced),
    n_consumed=sum(consumed),
    is_free=[counter.lock.acquire(False) for counter, _, _ in locks_],
    waits=core.lock_waits(),
)
