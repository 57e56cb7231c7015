"""Tasks of three kinds, some with a name in common; threads that each start the next one; deep
stacks; threads that do nothing but system calls; and coroutines that come and go.

Answers ``launch N`` (N threads in a chain, each of which lives on), ``calls`` (four threads that
read the clock of the system and a file forever), ``churn`` (a task that makes coroutines and
generators forever), ``deep N`` (a thread and a task of N frames), and any other word.
"""

import asyncio
import json
import os
import sys
import threading
import time

from rounds import announce, digest

stopped = threading.Event()
n_rounds = [0]


async def first():
    await asyncio.sleep(1000)


async def second():
    await asyncio.sleep(1000)


async def third():
    await asyncio.sleep(1000)


def launch(n, total):
    if n < total:
        threading.Thread(target=launch, args=(n + 1, total), name=f"link {n + 1}").start()
    stopped.wait()


def call_system():
    with open("/dev/zero", "rb", buffering=0) as file:
        while not stopped.is_set():
            os.stat("/")
            file.read(16)
            n_rounds[0] += 1


async def step(n):
    if n:
        return await step(n - 1) + 1
    await asyncio.sleep(0)
    return 1


async def produce():
    for i in range(5):
        await asyncio.sleep(0)
        yield i


async def churn():
    while not stopped.is_set():
        tasks = [asyncio.ensure_future(step(i)) for i in range(10)]
        assert await asyncio.gather(*tasks) == list(range(1, 11))
        assert [i async for i in produce()] == [0, 1, 2, 3, 4]
        short = asyncio.ensure_future(step(3))
        short.cancel()
        await asyncio.gather(short, return_exceptions=True)
        n_rounds[0] += 1


def descend(n):
    if n > 1:
        descend(n - 1)
    stopped.wait()


async def await_deeply(n):
    if n > 1:
        await await_deeply(n - 1)
    await asyncio.get_running_loop().create_future()


async def answer(word, kept):
    words = word.split()
    if words[0] == "launch":
        threading.Thread(target=launch, args=(1, int(words[1])), name="link 1").start()
    elif words[0] == "calls":
        for _ in range(4):
            threading.Thread(target=call_system, name="calls").start()
    elif words[0] == "churn":
        kept.append(asyncio.ensure_future(churn()))
    elif words[0] == "deep":
        n = int(words[1])
        threading.Thread(target=descend, args=(n,), name="deep").start()
        kept.append(asyncio.ensure_future(await_deeply(n)))
        await asyncio.sleep(0.1)


async def main():
    loop = asyncio.get_running_loop()
    kept = []
    for function, n, n_named in ((first, 50, 44), (second, 40, 36), (third, 10, 9)):
        kept += [asyncio.create_task(function()) for _ in range(n)]
        kept += [asyncio.create_task(function(), name="self-value") for _ in range(n_named)]
    await asyncio.sleep(0)
    announce(ready="counted", pid=os.getpid())
    while True:
        # Polled in a thread of its own: the stacks of the loop and its tasks stay as they are.
        word = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
        if not word:
            break
        await answer(word, kept)
        sys.stdout.write(json.dumps({"word": word, "rounds": n_rounds[0]}) + "\n")
        sys.stdout.flush()
    stopped.set()
    for task in kept:
        task.cancel()
    ends = await asyncio.gather(*kept, return_exceptions=True)
    return [repr(end) for end in ends if isinstance(end, AssertionError)]


wrong = asyncio.run(main())
time.sleep(0)
announce(result=digest("counted"), rounds=1, wrong=len(wrong))
