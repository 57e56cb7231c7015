"""Functions of asyncio that a program replaces while they are hooked, and the result of a check."""

import asyncio
import functools
from asyncio import futures, locks, queues

from contention import TASK, Contention, core, report

acquire = locks.Lock.acquire
put = queues.Queue.put
OwnFuture = futures.Future


class DerivedLock(locks.Lock):
    pass


def wrap(inner):
    async def acquire_wrapped(self):
        return await inner(self)

    return acquire_wrapped


async def put_otherwise(self, item):
    raise NotImplementedError


async def wait_twice():
    lock = asyncio.Lock()

    async def take():
        async with lock:
            await asyncio.sleep(0)

    await asyncio.gather(take(), take())


def count_waits(session):
    asyncio.run(wait_twice())
    rows = session.read(TASK, only_changed=True)
    return int(sum(row.count for row in rows if "acquire" in row.names))


def follow_anew():
    core.asyncio_close()
    core.asyncio_open()
    assert core.asyncio_maintain()
    return core.asyncio_check()


facts = {}
with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_maintain()
    facts["untouched"] = core.asyncio_check()

    locks.Lock.acquire = functools.wraps(acquire)(wrap(acquire))
    facts["wrapped"] = core.asyncio_check()
    locks.Lock.acquire = acquire
    OwnLock, locks.Lock = locks.Lock, DerivedLock
    facts["derived"] = core.asyncio_check()
    locks.Lock = OwnLock
    facts["n_waits"] = count_waits(session)

    locks.Lock.acquire = wrap(acquire)
    facts["function"] = core.asyncio_check()
    facts["n_waits_function"] = count_waits(session)
    locks.Lock.acquire = acquire
    facts["function_restored"] = core.asyncio_check()
    facts["function_anew"] = follow_anew()

    code = put.__code__
    put.__code__ = put_otherwise.__code__
    facts["code"] = core.asyncio_check()
    locks.Lock.acquire = functools.partialmethod(acquire)
    facts["several"] = core.asyncio_check()
    put.__code__ = code
    locks.Lock.acquire = acquire
    facts["several_anew"] = follow_anew()

    futures.Future = futures._PyFuture
    facts["futures"] = core.asyncio_check()
    futures.Future = OwnFuture
    core.asyncio_close()
report(**facts)
