"""Threads that wait for each other, for measured times. Obeys its input, a word a line:

``hold``      one function holds a lock while five threads wait for it
``queue``     a consumer waits for what a producer puts into a queue
``rlock``     an RLock, held twice, that one thread waits for
``event``     a wait that times out
``deadlock``  two threads, each waiting for the other's lock; they stay
``?``         any other word: answer

The locks exist before the attach. An answer has the times that the waiting threads have measured,
in ns (and the part that the holder caused), and the threads.
"""

import json
import os
import queue
import sys
import threading
import time

from rounds import announce, digest

N_WAITERS = 5
N_ITEMS = 10
HELD_S = 0.2
PAUSE_S = 0.01
WARM_ROUNDS = 200

CACHE_LOCK = threading.Lock()
TREE_LOCK = threading.RLock()
LEFT_LOCK, RIGHT_LOCK = threading.Lock(), threading.Lock()
STAGE = queue.Queue()
NEVER = threading.Event()


class Waits:
    """Sum of the waits of one round's threads; each thread adds its own."""

    def __init__(self):
        self.total_ns = self.held_ns = 0
        self.tids = []
        self.begun_ns = []

    def take(self, wait):
        self.tids.append(threading.get_native_id())
        begun_ns = time.perf_counter_ns()
        self.begun_ns.append(begun_ns)
        wait()
        self.total_ns += time.perf_counter_ns() - begun_ns  # under the lock


def wait_for_cache(waits):
    waits.take(CACHE_LOCK.acquire)
    CACHE_LOCK.release()


def run(n_waiters, wait, hold):
    """Call ``hold`` while ``n_waiters`` threads ``wait``; before, warm up specialised code."""
    waits = Waits()
    for _ in range(WARM_ROUNDS):
        wait(Waits())
    holding = threading.Event()

    def follow():
        holding.wait()
        wait(waits)

    threads = [threading.Thread(target=follow) for _ in range(n_waiters)]
    for thread in threads:
        thread.start()
    hold(waits, holding.set)
    for thread in threads:
        thread.join()
    return {
        "waited_ns": waits.total_ns,
        "held_ns": waits.held_ns,
        "tids": waits.tids,
        "holder": threading.get_native_id(),
    }


def hold_cache(waits, let_them):
    with CACHE_LOCK:
        let_them()
        hold_on(waits, N_WAITERS)


def hold_tree(waits, let_them):
    with TREE_LOCK, TREE_LOCK:
        let_them()
        hold_on(waits, 1)


def hold_on(waits, n_waiters):
    while len(waits.begun_ns) < n_waiters or not all(map(is_asleep, waits.tids)):
        time.sleep(PAUSE_S)
    time.sleep(HELD_S)
    now_ns = time.perf_counter_ns()
    waits.held_ns = sum(now_ns - begun_ns for begun_ns in waits.begun_ns)


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def wait_for_tree(waits):
    waits.take(TREE_LOCK.acquire)
    TREE_LOCK.release()


def consume():
    return [STAGE.get() for _ in range(N_ITEMS)]


def produce():
    for item in range(N_ITEMS):
        time.sleep(PAUSE_S)
        STAGE.put(item)


def run_queue():
    consumer = threading.Thread(target=consume)
    begun_ns = time.perf_counter_ns()
    consumer.start()
    produce()
    consumer.join()
    return {"lasted_ns": time.perf_counter_ns() - begun_ns}


def wait_in_vain():
    begun_ns = time.perf_counter_ns()
    NEVER.wait(HELD_S)
    return {"waited_ns": time.perf_counter_ns() - begun_ns}


def cross(mine, other, met):
    with mine:
        met.wait()
        with other:
            raise AssertionError("no deadlock")


def lock_each_other_out():
    met = threading.Barrier(3)
    pairs = ((LEFT_LOCK, RIGHT_LOCK), (RIGHT_LOCK, LEFT_LOCK))
    threads = [threading.Thread(target=cross, args=(*pair, met), daemon=True) for pair in pairs]
    for thread in threads:
        thread.start()
    met.wait()
    return {"tids": [thread.native_id for thread in threads]}


WORDS = {
    "hold": lambda: run(N_WAITERS, wait_for_cache, hold_cache),
    "rlock": lambda: run(1, wait_for_tree, hold_tree),
    "queue": run_queue,
    "event": wait_in_vain,
    "deadlock": lock_each_other_out,
}

announce(ready="contended", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    answer = {"word": word, **WORDS.get(word, dict)()}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("contended"), rounds=1, wrong=0)
