"""Tasks that are created in every way, before and after the attach.

Answers ``kinds`` (a task of each kind), ``spawn N`` and ``other N`` (N tasks more, by one of two
functions), ``churn N`` (create and end N tasks), ``wait`` (tasks that wait for a lock, an event and
a queue), ``drop`` (end all tasks of ``spawn`` and ``other``), and any other word.
"""

import asyncio
import concurrent.futures
import os
import sys

from rounds import announce, digest

many, kept = [], []


class Light(asyncio.Task):
    """Inherits tp_init of Task."""


class Own(asyncio.Task):
    """Has an ``__init__`` that calls Task's."""

    def __init__(self, coro, **options):
        super().__init__(coro, **options)


async def doze():
    await asyncio.sleep(1000)


async def pass_by():
    await asyncio.sleep(0)


def spawn(n):
    for _ in range(n):
        many.append(asyncio.ensure_future(doze()))


def spawn_others(n):
    for _ in range(n):
        many.append(asyncio.ensure_future(doze()))


async def churn(n):
    for _ in range(n // 50):
        await asyncio.gather(*(pass_by() for _ in range(50)))


def keep(task, name):
    task.set_name(name)
    kept.append(task)


def create_plain(loop):
    keep(loop.create_task(doze()), "plain")


def create_light(loop):
    keep(Light(doze(), loop=loop), "light")


def create_new_light(loop):
    class NewLight(Light):
        pass

    keep(NewLight(doze(), loop=loop), "new light")


def create_own(loop):
    keep(Own(doze(), loop=loop), "own")


def create_in_python(loop):
    keep(asyncio.tasks._PyTask(doze(), loop=loop), "in Python")


def create_eagerly(loop):
    if sys.version_info >= (3, 12):
        keep(asyncio.Task(doze(), loop=loop, eager_start=True), "eager")


async def create_in_task():
    keep(asyncio.ensure_future(doze()), "in a task")


def call_back(loop, done):
    keep(loop.create_task(doze()), "callback")
    done.set()


async def create_kinds(loop):
    create_plain(loop)
    create_light(loop)
    create_new_light(loop)
    create_own(loop)
    create_in_python(loop)
    create_eagerly(loop)
    done = asyncio.Event()
    loop.call_soon(call_back, loop, done)
    await done.wait()
    await asyncio.ensure_future(create_in_task())


async def take(lock):
    async with lock:
        pass


async def wait_for_all(lock):
    for coroutine in (take(lock), asyncio.Event().wait(), asyncio.Queue().get()):
        kept.append(asyncio.ensure_future(coroutine))
    await asyncio.sleep(0)


async def answer(loop, lock, word):
    words = word.split()
    if words[0] == "kinds":
        await create_kinds(loop)
    elif words[0] == "spawn":
        spawn(int(words[1]))
    elif words[0] == "other":
        spawn_others(int(words[1]))
    elif words[0] == "churn":
        await churn(int(words[1]))
    elif words[0] == "wait":
        await wait_for_all(lock)
    elif words[0] == "drop":
        for task in many:
            task.cancel()
        await asyncio.gather(*many, return_exceptions=True)
        many.clear()
    await asyncio.sleep(0)


async def main():
    loop, lock = asyncio.get_running_loop(), asyncio.Lock()
    loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
    await lock.acquire()
    keep(asyncio.ensure_future(doze()), "older")
    keep(Light(doze(), loop=loop), "older light")
    keep(asyncio.ensure_future(take(lock)), "older waiter")
    await asyncio.sleep(0)
    loop.call_soon(lambda: announce(ready="creating tasks", pid=os.getpid()))
    while True:
        word = await loop.run_in_executor(None, sys.stdin.readline)
        if not word:
            break
        await answer(loop, lock, word)
        announce(word=word.strip(), n_many=len(many))
    for task in (*kept, *many):
        task.cancel()
    await asyncio.sleep(0)


asyncio.run(main())
announce(result=digest("creating tasks"), rounds=1, wrong=0)
