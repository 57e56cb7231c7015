"""More tasks that wait at once than can be followed. All of them must be woken."""

import asyncio

from contention import TASK, Contention, core, report

MOST = 65_535
N_TASKS = MOST + 465
FEW = 10


async def wait_for_all(n):
    event = asyncio.Event()
    tasks = [asyncio.ensure_future(event.wait()) for _ in range(n)]
    await asyncio.sleep(0)
    n_waits, n_lost = core.asyncio_waits(), core.contention_status()["n_lost"]
    event.set()
    found = await asyncio.gather(*tasks)
    return {"n_waits": n_waits, "n_lost": n_lost, "n_done": sum(found)}


def count(session):
    return sum(row.count for row in session.read(TASK))


with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_maintain()
    core.contention_learn()
    facts = {"all": asyncio.run(wait_for_all(N_TASKS)), "n_reported": count(session)}
    facts["few"] = asyncio.run(wait_for_all(FEW))  # there is room again
    facts["n_more"] = count(session) - facts["n_reported"]
    facts["status"] = core.contention_status()
    core.asyncio_close()
with Contention():
    facts["n_anew"] = core.contention_status()["n_lost"]
report(most=MOST, n_tasks=N_TASKS, **facts)
