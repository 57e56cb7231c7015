"""Tasks that end while a dump is taken, and leaked tasks that reuse their memory."""

import asyncio
import gc

from locks import Locks, core, report

N_TASKS = 1000
loop = asyncio.new_event_loop()
kept = []


async def wait_for(future):
    await future


def start(prefix, n):
    """Start tasks, which wait once the loop has run them."""
    tasks = [loop.create_task(wait_for(loop.create_future())) for _ in range(n)]
    for at, task in enumerate(tasks):
        task.set_name(f"{prefix} {at}")
    loop.call_soon(loop.stop)
    loop.run_forever()
    return tasks


def replace():
    """Once: end the kept tasks, and start tasks to which nothing refers."""
    if not kept:
        return
    for task in kept:
        task.cancel()
    loop.call_soon(loop.stop)
    loop.run_forever()
    del task
    facts["addresses"] = {id(task) for task in kept}
    kept.clear()
    leaked = start("leaked", N_TASKS)
    facts["addresses"] &= {id(task) for task in leaked}


facts = {}
gc.disable()
kept += start("kept", N_TASKS)
with Locks():
    tasks = core.dump_leaks(1, replace)
names = [name.split()[0] for name, is_leaked in tasks if is_leaked]
report(
    n_rows=len(tasks),
    n_reused=len(facts["addresses"]),
    n_leaked=names.count("leaked"),
    n_kept=names.count("kept"),
)
