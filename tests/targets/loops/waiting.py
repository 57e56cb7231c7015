"""Waiters and the functions that wake them, shared by the programs of this folder."""

import gc
import os
import sys
import threading
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest

ASLEEP, AWAKE = set(), set()  # names
WAKERS = []  # most hold only a descriptor, not the object that they wake
IS_ENDING = []
BY_FINALIZER, BY_FINALIZE = "thread by a finalizer", "thread by weakref.finalize"
BY_COLLECTION = {BY_FINALIZER, BY_FINALIZE}
PATIENCE_S = 30


def expect(name):
    """Note that a thread or task of this name begins to wait, and will be woken."""
    ASLEEP.add(name)
    return name


def sleep_until(name, wait):
    wait()
    AWAKE.add(name)


def start_thread(name, wait):
    threading.Thread(target=sleep_until, args=(expect(name), wait), name=name, daemon=True).start()


async def see_awake(others, sleep):
    deadline = time.monotonic() + PATIENCE_S
    while not AWAKE | others >= ASLEEP and time.monotonic() < deadline:
        await sleep(0.01)


async def end(sleep):
    """Wake all, and check that they are awake. At last a collection ends leaked tasks."""
    IS_ENDING.append(True)
    for wake in WAKERS:
        wake()
    await see_awake(BY_COLLECTION, sleep)
    gc.collect()
    await see_awake(set(), sleep)
    for name in sorted(ASLEEP - AWAKE):
        sys.stderr.write(f"still asleep: {name}\n")
    announce(result=digest(sorted(ASLEEP)), rounds=1, wrong=len(ASLEEP - AWAKE))
    os._exit(0)
