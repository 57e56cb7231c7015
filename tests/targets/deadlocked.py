"""Threads that wait for each other before the ready line. Obeys its input, a word a line:

``free``   release plain locks by hand, so that all threads without RLocks go on; answers which did
``?``      any other word: answer

The first line names the threads: ``plain`` and ``recursive``, two of each; ``ring``,
three; ``itself``, one; and of ``crowd``, which is no deadlock, the holder and two that wait.
"""

import contextlib
import json
import os
import sys
import threading
import time

from rounds import announce, digest

LEFT, RIGHT = threading.Lock(), threading.Lock()
INNER, OUTER = threading.RLock(), threading.RLock()
ROCK, PAPER, SCISSORS = threading.Lock(), threading.Lock(), threading.Lock()
MIRROR = threading.Lock()
DOOR = threading.Lock()
BELL = threading.Event()

tids, through = {}, []


def cross(mine, other, met):
    with mine:
        met.wait()
        with other:
            pass


def lock_oneself_out(met):
    with MIRROR:
        met.wait()
        with MIRROR:
            pass


def keep_door(met):
    with DOOR:
        met.wait()
        BELL.wait()


def wait_at_door(met):
    met.wait()
    with DOOR:
        pass


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def start(name, *calls):
    """Start a thread for each call; they continue when each has its first lock."""
    met = threading.Barrier(len(calls))
    tids[name] = [0] * len(calls)

    def run(place, function, *arguments):
        tids[name][place] = threading.get_native_id()
        with contextlib.suppress(RuntimeError):  # its lock was released by hand
            function(*arguments, met)
        through.append(name)

    for place, call in enumerate(calls):
        thread = threading.Thread(target=run, args=(place, *call), daemon=True)
        thread.name = f"{name} {place + 1}"
        thread.start()


def wait_until(is_so):
    while not is_so():
        time.sleep(0.01)


start("plain", (cross, LEFT, RIGHT), (cross, RIGHT, LEFT))
start("recursive", (cross, INNER, OUTER), (cross, OUTER, INNER))
start("ring", (cross, ROCK, PAPER), (cross, PAPER, SCISSORS), (cross, SCISSORS, ROCK))
start("itself", (lock_oneself_out,))
start("crowd", (keep_door,), (wait_at_door,), (wait_at_door,))
time.sleep(0.1)  # for the threads to sleep; the test waits for late ones
wait_until(lambda: all(tid and is_asleep(tid) for each in tids.values() for tid in each))


def free():
    for lock in (LEFT, ROCK, MIRROR):  # each wakes one thread, which wakes the next
        lock.release()
    BELL.set()
    n_expected = len(tids["plain"] + tids["ring"] + tids["itself"] + tids["crowd"])
    wait_until(lambda: len(through) >= n_expected)
    return {"through": sorted(through)}


announce(ready="deadlocked", pid=os.getpid(), tids=tids)
for line in sys.stdin:
    word = line.strip()
    answer = {"word": word, **(free() if word == "free" else {})}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("deadlocked"), rounds=1, wrong=0)
