"""Tasks that wait for each other, and callbacks that block their loop. Obeys a word a line:

``import``  imports asyncio, for the first time
``replace`` replaces functions of asyncio, which it imports first if necessary
``warm``    two tasks and a lock, for a moment
``hold``    one task holds a semaphore while three wait for it
``stall``   a task that computes for longer than a loop should wait
``begin``   lets tasks begin to wait for an item
``end``     gives them the item
``?``       any other word: answer

An answer has the program's own measurements, in ns.
"""

import functools
import json
import os
import sys
import time

from rounds import announce, digest

N_WAITERS = 3
HELD_S = 0.1
STALL_S = 0.4
asyncio = None  # imported on request
kept = {}


def start():
    global asyncio
    import asyncio

    kept["loop"] = asyncio.new_event_loop()
    return {}


def replace():
    """Replace one function by a wrapper with ``__wrapped__``, one by an object."""
    answer = {} if asyncio else start()
    locks = asyncio.locks
    inner = locks.Semaphore.acquire

    @functools.wraps(inner)
    async def acquire(self):
        return await inner(self)

    locks.Semaphore.acquire = acquire
    locks.Condition.wait_for = functools.partialmethod(locks.Condition.wait_for)
    return answer


async def warm_up(lock):
    async with lock:
        await asyncio.sleep(0)


async def warm():
    lock = asyncio.Lock()
    await asyncio.gather(warm_up(lock), warm_up(lock))
    return {}


async def wait_for_seat(seats, waits):
    begun_ns = time.perf_counter_ns()
    async with seats:
        waits.append(time.perf_counter_ns() - begun_ns)


async def hold_seat(seats):
    async with seats:
        await asyncio.sleep(HELD_S)


async def hold():
    seats, waits = asyncio.Semaphore(1), []
    holder = asyncio.ensure_future(hold_seat(seats))
    await asyncio.sleep(0)
    await asyncio.gather(holder, *(wait_for_seat(seats, waits) for _ in range(N_WAITERS)))
    return {"waited_ns": sum(waits)}


def compute():
    begun_ns = time.perf_counter_ns()
    while time.perf_counter_ns() - begun_ns < STALL_S * 1e9:
        pass
    return time.perf_counter_ns() - begun_ns


async def stall():
    await asyncio.sleep(0)
    return {"stalled_ns": compute()}


async def get_item(queue):
    return await queue.get()


async def begin():
    kept["queue"] = asyncio.Queue()
    kept["tasks"] = [asyncio.ensure_future(get_item(kept["queue"])) for _ in range(N_WAITERS)]
    await asyncio.sleep(0)
    return {}


async def end():
    for number in range(N_WAITERS - 1):
        kept["queue"].put_nowait(number)
    await asyncio.sleep(0)
    kept["tasks"][-1].cancel()
    found = await asyncio.gather(*kept["tasks"], return_exceptions=True)
    return {"found": [item if isinstance(item, int) else type(item).__name__ for item in found]}


def run(word):
    if word == "import":
        return start()
    if word == "replace":
        return replace()
    scenes = {"warm": warm, "hold": hold, "stall": stall, "begin": begin, "end": end}
    return kept["loop"].run_until_complete(scenes[word]()) if word in scenes else {}


announce(ready="tasks", pid=os.getpid())
for line in sys.stdin:
    answer = {"word": line.strip(), **run(line.strip())}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
if kept:
    kept["loop"].close()
announce(result=digest("tasks"), rounds=1, wrong=0)
