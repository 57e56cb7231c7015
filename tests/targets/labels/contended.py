"""Waits for locks and the GIL, tasks, stalls and allocations; each function runs under a label with
its name."""

import asyncio
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass

ROUNDS = 20
LOCK = threading.Lock()
HELD, ENDED = threading.Semaphore(0), threading.Semaphore(0)


def hold_lock():
    for _ in range(ROUNDS):
        LOCK.acquire()
        HELD.release()
        HELD.release()
        time.sleep(0.002)  # the others wait meanwhile
        LOCK.release()
        ENDED.acquire()
        ENDED.acquire()


def wait_for_lock():
    for _ in range(ROUNDS):
        HELD.acquire()
        with LOCK:
            pass
        ENDED.release()


def wait_without_labels():
    wait_for_lock()


def wait_under_a():
    wait_for_lock()


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def burn_under_x():
    burn(0.4)


def burn_under_y():
    burn(0.4)


def allocate():
    return [bytes(1 << 16) for _ in range(100)]


def allocate_under_h():
    allocate()


def allocate_without_labels():
    allocate()


def start(function, **labels):
    def run():
        with stackglass.labels(**labels):
            function()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def join(*threads):
    for thread in threads:
        thread.join()


async def wait_in_task(lock):
    for _ in range(ROUNDS):
        async with lock:
            await asyncio.sleep(0.001)


async def task_under_t(lock):
    with stackglass.labels(role="task_under_t"):
        await wait_in_task(lock)


async def task_without_labels(lock):
    await wait_in_task(lock)


async def stall_under_s():
    with stackglass.labels(role="stall_under_s"):
        time.sleep(0.3)


async def run_tasks():
    lock = asyncio.Lock()
    await asyncio.gather(task_under_t(lock), task_without_labels(lock))
    await asyncio.create_task(stall_under_s())


join(
    start(hold_lock, role="hold_lock"),
    start(wait_without_labels),
    start(wait_under_a, role="wait_under_a"),
)
join(start(allocate_under_h, role="allocate_under_h"), start(allocate_without_labels))
asyncio.run(run_tasks())
# The longest comes last: labels that are new at the very end of a program may not be defined any
# more.
join(start(burn_under_x, role="burn_under_x"), start(burn_under_y, role="burn_under_y"))
