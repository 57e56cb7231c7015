"""Many threads and tasks that wait. The environment says how many: ``N_THREADS``, ``DEPTH`` frames
each; ``N_TASKS``, chains of ``CHAIN`` coroutines each.
"""

import asyncio
import os
import threading

from rounds import announce, digest, is_stopped

N_THREADS, DEPTH, N_TASKS, CHAIN = (
    int(os.environ.get(name, "0")) for name in ("N_THREADS", "DEPTH", "N_TASKS", "CHAIN")
)
OTHER_FRAMES = 5  # of a thread: run, two of _bootstrap, wait of an event and of its condition
begun, end = threading.Semaphore(0), threading.Event()


def work(n_left):
    if n_left > 1:
        return work(n_left - 1)
    begun.release()
    return end.wait()


async def doze(n_left):
    if n_left > 1:
        await doze(n_left - 1)
    else:
        await asyncio.sleep(1000)


async def main():
    tasks = [asyncio.ensure_future(doze(max(1, CHAIN - 1))) for _ in range(N_TASKS)]
    await asyncio.sleep(0.05)
    announce(ready="many waiting", pid=os.getpid())
    while not is_stopped():
        await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


threading.stack_size(256 * 1024)
for _ in range(N_THREADS):
    threading.Thread(target=work, args=(max(1, DEPTH - OTHER_FRAMES),), daemon=True).start()
for _ in range(N_THREADS):
    begun.acquire()
asyncio.run(main())
announce(result=digest("many waiting"), rounds=1, wrong=0)
