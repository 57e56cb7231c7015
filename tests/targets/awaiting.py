"""Tasks suspended in every way, and threads; counts calls of the program's own code that a dump
must not make: only the program may ask a task for its hash or its name, or a thread for its name.

Answers ``churn N`` (begin and end N tasks), ``many N`` (N more that sleep), ``deep N`` (one that
awaits through N coroutines), ``drop`` (end those), and any other word.
"""

import asyncio
import json
import os
import sys
import threading
import time

from rounds import announce, digest

calls = []


class Watchful(asyncio.Task):
    """Counts calls of its methods."""

    def __hash__(self):
        calls.append("hash")
        return super().__hash__()

    def __eq__(self, other):
        calls.append("eq")
        return self is other

    def __repr__(self):
        calls.append("repr")
        return "Watchful"

    def get_name(self):
        calls.append("get_name")
        return "asked"

    def get_coro(self):
        calls.append("get_coro")


class Computed(threading.Thread):
    """Counts reads of its attributes."""

    @property
    def _name(self):
        calls.append("_name")
        return "computed"

    @_name.setter
    def _name(self, name):
        pass

    @property
    def _daemonic(self):
        calls.append("_daemonic")
        return True

    @_daemonic.setter
    def _daemonic(self, daemonic):
        pass

    @property
    def _native_id(self):
        calls.append("_native_id")
        return self.__dict__["native"]

    @_native_id.setter
    def _native_id(self, native_id):
        self.__dict__["native"] = native_id


async def get_item(queue):
    await queue.get()


async def go_between(queue):
    await get_item(queue)


async def generate(queue):
    yield await queue.get()


async def iterate(queue):
    async for _ in generate(queue):
        pass


async def hold(lock, started):
    async with lock:
        started.set()
        await asyncio.sleep(1000)


async def want(lock):
    async with lock:
        pass


async def join(task):
    await task


async def gather(*tasks):
    await asyncio.gather(*tasks)


async def doze():
    await asyncio.sleep(1000)


def sleep_in_call():
    time.sleep(1000)


def wait_for_lock():
    lock = threading.Lock()
    with lock:
        lock.acquire()


def spin():
    while True:
        pass


async def pass_by():
    await asyncio.sleep(0)


async def read_line(loop):
    return (await loop.run_in_executor(None, sys.stdin.readline)).strip()


async def go_deep(n):
    if n:
        await go_deep(n - 1)
    else:
        await doze()


async def answer(word, many):
    if word.startswith("churn "):
        for _ in range(int(word.split()[1])):
            await asyncio.gather(*(pass_by() for _ in range(10)))
    elif word.startswith("many "):
        many += [asyncio.ensure_future(doze()) for _ in range(int(word.split()[1]))]
        await asyncio.sleep(0)
    elif word.startswith("deep "):
        many.append(asyncio.ensure_future(go_deep(int(word.split()[1]))))
        many[-1].set_name("deep")
        await asyncio.sleep(0)
    elif word == "drop":
        for task in many:
            task.cancel()
        await asyncio.gather(*many, return_exceptions=True)
        many.clear()


async def main():
    loop = asyncio.get_running_loop()
    queue, lock, started = asyncio.Queue(), asyncio.Lock(), asyncio.Event()
    first = asyncio.create_task(go_between(queue), name="go between")
    second = asyncio.create_task(iterate(queue), name="iterate")
    holder = asyncio.create_task(hold(lock, started), name="holder")
    await started.wait()
    kept = [
        first,
        second,
        holder,
        asyncio.create_task(want(lock), name="wanté"),
        asyncio.create_task(join(first), name="join"),
        asyncio.create_task(gather(second, holder), name="gather"),
        asyncio.tasks._PyTask(doze(), loop=loop, name="in Python"),
    ]
    watchful = Watchful(doze(), loop=loop)
    watchful.set_name("watchful")
    plain = asyncio.create_task(doze())  # asyncio names it
    ended = asyncio.create_task(pass_by(), name="ended")  # kept, but it has ended
    await ended
    # From 3.12 on there is a second list, which nothing stops a program from filling.
    getattr(asyncio.tasks, "_eager_tasks", set()).add(kept[4])
    await asyncio.sleep(0.05)
    calls.clear()
    # When this task, too, is suspended: by then it waits for the first line.
    ready = {"ready": "awaiting", "pid": os.getpid(), "plain": plain.get_name()}
    loop.call_soon(lambda: announce(**ready))
    many = []
    while True:
        word = await read_line(loop)
        if not word:
            break
        await answer(word, many)
        sys.stdout.write(json.dumps({"word": word, "calls": list(calls)}) + "\n")
        sys.stdout.flush()
    for task in (*kept, watchful, plain):
        task.cancel()
    await asyncio.sleep(0)


for function in (sleep_in_call, wait_for_lock, spin):
    threading.Thread(target=function, name=function.__name__, daemon=True).start()
Computed(target=sleep_in_call, daemon=True).start()
asyncio.run(main())
announce(result=digest("awaiting"), rounds=1, wrong=0)
