"""Threads and tasks in known numbers and states: 3 in a system call, 2 at a lock, one busy, 30
tasks that sleep and 5 that have not begun to run. The loop is inside a call of C code.

At the end of its input it ends.
"""

import asyncio
import os
import sys
import threading
import time

from rounds import announce, digest

N_READING, N_LOCKED, N_SUSPENDED, N_READY = 3, 2, 30, 5
LOCK = threading.Lock()
NEAR, FAR = os.pipe()
IS_OVER = threading.Event()


def burn():
    while not IS_OVER.is_set():
        sum(range(1000))


def enter():
    with LOCK:
        pass


async def sleep():
    await asyncio.sleep(1000)


async def main():
    tasks = [asyncio.create_task(sleep()) for _ in range(N_SUSPENDED)]
    await asyncio.sleep(0.1)
    tasks += [asyncio.create_task(sleep()) for _ in range(N_READY)]
    announce(ready="metered", pid=os.getpid(), switch_s=sys.getswitchinterval())
    sys.stdin.read()
    for task in tasks:
        task.cancel()


LOCK.acquire()
THREADS = [
    *(threading.Thread(target=os.read, args=(NEAR, 1)) for _ in range(N_READING)),
    *(threading.Thread(target=enter) for _ in range(N_LOCKED)),
    threading.Thread(target=burn),
]
for thread in THREADS:
    thread.start()
time.sleep(0.1)
asyncio.run(main())
LOCK.release()
IS_OVER.set()
os.write(FAR, b"x" * N_READING)
for thread in THREADS:
    thread.join()
announce(result=digest(len(THREADS)), rounds=1, wrong=0)
