"""More tasks that wait for a semaphore than a release lists one by one, some only since the first
release. Recorded times must lie between the least and the most that the program has measured.
"""

import asyncio
import time

from contention import MUTEX, PAIR, Contention, core, report

N_FIRST, N_MORE = 400, 300
PAUSE_S = 0.02


def release_first(semaphore):
    semaphore.release()


def release_second(semaphore):
    semaphore.release()


async def begin(semaphore, n):
    """Start tasks that wait. Returns them, and bounds of the time when they began, in ns."""
    began_ns = time.monotonic_ns()
    tasks = [asyncio.ensure_future(semaphore.acquire()) for _ in range(n)]
    await asyncio.sleep(0)
    ended_ns = time.monotonic_ns()
    time.sleep(PAUSE_S)
    return tasks, began_ns, ended_ns


def measure(release, semaphore):
    began_ns = time.monotonic_ns()
    release(semaphore)
    return began_ns, time.monotonic_ns()


async def crowd():
    """Return the least and the most that each release may be charged, in ns."""
    semaphore = asyncio.Semaphore(0)
    tasks, first_began, first_ended = await begin(semaphore, N_FIRST)
    before_first, after_first = measure(release_first, semaphore)
    await tasks[0]
    more, more_began, more_ended = await begin(semaphore, N_MORE)
    before_second, after_second = measure(release_second, semaphore)
    while core.asyncio_waits():
        semaphore.release()
        await asyncio.sleep(0)
    await asyncio.gather(*tasks, *more)
    n_left = N_FIRST - 1
    return {
        "release_first": [
            N_FIRST * (before_first - first_ended),
            N_FIRST * (after_first - first_began),
        ],
        "release_second": [
            n_left * (before_second - after_first) + N_MORE * (before_second - more_ended),
            n_left * (after_second - before_first) + N_MORE * (after_second - more_began),
        ],
    }


with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_maintain()
    core.contention_learn()
    bounds = asyncio.run(crowd())
    charged = {}
    for kind, title in ((MUTEX, "mutex"), (PAIR, "pair")):
        for name in bounds:
            rows = [row for row in session.read(kind) if name in row.names]
            charged[f"{title} {name}"] = [
                sum(row.count for row in rows),
                sum(row.total_ns for row in rows),
            ]
    core.asyncio_close()
report(bounds=bounds, charged=charged)
