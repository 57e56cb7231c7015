"""Tasks with names that compute, wait and block their loops, each in functions of its own; loops in
two threads, and a thread without a loop. Imports nothing of Stackglass."""

import asyncio
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rounds import run_rounds


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(100))


def in_alpha():
    burn(0.002)


def in_beta():
    burn(0.002)


def in_gamma():
    burn(0.002)


def in_renamed():
    burn(0.002)


def in_derived():
    burn(0.002)


def in_nameless():
    burn(0.002)


def in_no_task():
    burn(0.002)


def blocked_in_alpha():
    time.sleep(0.002)


def stalled_in_beta():
    time.sleep(0.15)


class Derived(asyncio.Task):
    pass


LOCKS = {}


async def wait_in_alpha(lock):
    async with lock:
        pass


async def work(rounds, *functions):
    for _ in range(rounds):
        for function in functions:
            function()
        await asyncio.sleep(0)


async def churn(rounds):
    """Run a task for each round: addresses are used again."""
    for _ in range(rounds):
        await asyncio.ensure_future(work(1, in_nameless))


async def rename(rounds):
    for i in range(rounds):
        asyncio.current_task().set_name(f"renamed {i % 5}")
        in_renamed()
        await asyncio.sleep(0)


async def contend(rounds):
    """Take a lock for which alpha's waiter waits."""
    lock = asyncio.Lock()
    for _ in range(rounds):
        await lock.acquire()
        waiter = asyncio.get_running_loop().create_task(wait_in_alpha(lock), name="alpha")
        await asyncio.sleep(0.002)
        lock.release()
        await waiter


async def run_main_loop():
    loop = asyncio.get_running_loop()
    derived = Derived(work(20, in_derived), loop=loop)
    derived.set_name("derived ☃")
    await asyncio.gather(
        loop.create_task(work(20, in_alpha, blocked_in_alpha), name="alpha"),
        loop.create_task(work(20, in_beta), name="beta"),
        loop.create_task(work(1, stalled_in_beta), name="beta"),
        loop.create_task(contend(5), name="contend"),
        derived,
        rename(20),
        churn(20),
    )


async def run_other_loop():
    await asyncio.get_running_loop().create_task(work(20, in_gamma), name="gamma")


def run_without_a_loop():
    while True:
        in_no_task()
        time.sleep(0.001)


def run_other_loops():
    while True:
        asyncio.run(run_other_loop())


threading.Thread(target=run_without_a_loop, daemon=True).start()
threading.Thread(target=run_other_loops, daemon=True).start()
run_rounds("named tasks", lambda: asyncio.run(run_main_loop()) is None)
