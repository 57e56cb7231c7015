"""A task that blocks its event loop: it computes, and other tasks wait until it has finished."""

import asyncio
import os

from rounds import announce, digest, is_stopped


def compute():
    return digest([i * i for i in range(2000)])


async def work():
    first = compute()
    n_wrong = n_rounds = 0
    announce(ready="awaiting_busy", pid=os.getpid())
    while not is_stopped():
        n_wrong += compute() != first
        n_rounds += 1
    announce(result=first, rounds=n_rounds, wrong=n_wrong)


async def main():
    await asyncio.create_task(work(), name="busy")


asyncio.run(main())
