"""More Events that tasks wait for at once than have numbers of their own; then more Locks. In both
cases a further Lock is released while a task waits for it."""

import asyncio

from contention import MUTEX, Contention, core, report

MANY = 16_400


async def contend(lock):
    await lock.acquire()
    waiting = asyncio.ensure_future(lock.acquire())
    await asyncio.sleep(0)
    lock.release()
    await waiting
    lock.release()


async def wait_for_events():
    events = [asyncio.Event() for _ in range(MANY)]
    tasks = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.sleep(0)
    n_lost = core.contention_status()["n_lost"]
    await contend(asyncio.Lock())
    for event in events:
        event.set()
    await asyncio.gather(*tasks)
    return n_lost


async def wait_for_locks():
    locks = [asyncio.Lock() for _ in range(MANY)]
    for lock in locks:
        await lock.acquire()
    tasks = [asyncio.ensure_future(lock.acquire()) for lock in locks]
    await asyncio.sleep(0)
    await contend(asyncio.Lock())
    n_lost = core.contention_status()["n_lost"]
    for lock in locks:
        lock.release()
    await asyncio.gather(*tasks)
    return n_lost


def count_releases(session):
    return sum(row.count for row in session.read(MUTEX) if "contend" in row.names)


with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_maintain()
    core.contention_learn()
    facts = {"n_lost_of_events": asyncio.run(wait_for_events())}
    facts["n_releases"] = count_releases(session)
    facts["n_lost"] = asyncio.run(wait_for_locks())
    facts["n_more"] = count_releases(session) - facts["n_releases"]
    facts["n_waits"] = core.asyncio_waits()
    core.asyncio_close()
report(**facts)
