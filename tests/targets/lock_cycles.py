"""Threads that wait for each other, with and without proof of a deadlock. Obeys its input:

``again``  start another set of threads, with locks of its own

Each set: ``blocks``, two threads in ``with`` blocks, a deadlock; ``timed``, the same with a
time-out; ``taken``, two whose locks were taken by ``acquire``; ``signal``, a thread that waits for
a lock that it took itself by ``acquire``; ``twice``, a thread that does so in the lock's ``with``
block, which is a deadlock unless it has released the lock there.
"""

import json
import os
import sys
import threading
import time

from rounds import announce, digest

LONG_S = 100_000


def cross_blocks(mine, other, met):
    with mine:
        met.wait()
        with other:
            pass


def cross_timed(mine, other, met):
    with mine:
        met.wait()
        other.acquire(timeout=LONG_S)


def cross_taken(mine, other, met):
    mine.acquire()
    met.wait()
    other.acquire()


def take_twice(mine, _, met):
    with mine:
        met.wait()
        mine.acquire()


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def start_set():
    """Start a set. Returns the threads' numbers by kind, once all sleep."""
    tids = {}

    def start(name, function, locks):
        met = threading.Barrier(len(locks))
        tids[name] = [0] * len(locks)

        def run(place):
            tids[name][place] = threading.get_native_id()
            function(locks[place], locks[(place + 1) % len(locks)], met)

        for place in range(len(locks)):
            threading.Thread(target=run, args=(place,), daemon=True).start()

    start("blocks", cross_blocks, [threading.Lock(), threading.Lock()])
    start("timed", cross_timed, [threading.Lock(), threading.Lock()])
    start("taken", cross_taken, [threading.Lock(), threading.Lock()])
    start("signal", cross_taken, [threading.Lock()])
    start("twice", take_twice, [threading.Lock()])
    time.sleep(0.1)  # for the threads to sleep; the test waits for late ones
    while not all(tid and is_asleep(tid) for each in tids.values() for tid in each):
        time.sleep(0.01)
    return tids


announce(ready="cycles", pid=os.getpid(), tids=start_set())
for line in sys.stdin:
    answer = {"word": line.strip(), "tids": start_set() if line.strip() == "again" else {}}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("cycles"), rounds=1, wrong=0)
