"""A service that hangs in every way that is no deadlock. Ends with its input.

The first line names the threads. ``keeper`` holds a lock that two threads wait for, and waits for a
queue; ``taken`` waits for a lock that was taken by hand; ``pool_0`` … have no work, nor has
``loop``, an asyncio loop; ``joiner`` waits for the end of the keeper.
"""

import asyncio
import concurrent.futures
import os
import queue
import sys
import threading
import time

from rounds import announce, digest

N_IDLE = 3
DOOR, TAKEN = threading.Lock(), threading.Lock()
JOBS = queue.Queue()
POOL = concurrent.futures.ThreadPoolExecutor(N_IDLE, thread_name_prefix="pool")
LOOP = asyncio.new_event_loop()

TAKEN.acquire()
in_door = threading.Event()


def keep_door():
    with DOOR:
        in_door.set()
        JOBS.get()


def stand_at_door():
    with DOOR:
        pass


def take():
    TAKEN.acquire()
    TAKEN.release()


def run_loop():
    LOOP.run_forever()
    LOOP.close()


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def start(name, function):
    thread = threading.Thread(target=function, name=name)
    thread.start()
    return thread


keeper = start("keeper", keep_door)
in_door.wait()
threads = [keeper]
for name, function in (
    ("first at door", stand_at_door),
    ("second at door", stand_at_door),
    ("taken", take),
    ("loop", run_loop),
    ("joiner", keeper.join),
):
    threads.append(start(name, function))
together = threading.Barrier(N_IDLE)
concurrent.futures.wait([POOL.submit(together.wait) for _ in range(N_IDLE)])

tids = {thread.name: thread.native_id for thread in threading.enumerate()}
tids["MainThread"] = os.getpid()
others = [tid for tid in tids.values() if tid != os.getpid()]
while not all(map(is_asleep, others)):
    time.sleep(0.01)
time.sleep(0.1)
announce(ready="hung_service", pid=os.getpid(), tids=tids)
sys.stdin.readline()
JOBS.put(None)
TAKEN.release()
LOOP.call_soon_threadsafe(LOOP.stop)
for thread in threads:
    thread.join()
POOL.shutdown()
announce(result=digest("hung_service"), rounds=1, wrong=0)
