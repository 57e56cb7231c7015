"""More tasks than the table of creators has room for. Reports how many have a known creator, how
many have none, and how many count as older."""

import asyncio
import collections

from sampler import core, report

N = 280_000


class Loop:
    """An event loop that runs nothing."""

    def get_debug(self):
        return False

    def call_soon(self, *arguments, **options):
        pass


async def do_nothing():
    pass


def classify(task):
    frames, _, is_older = core.task_creations_find(task)
    return "known" if frames else "older" if is_older else "unknown"


loop, coroutine = Loop(), do_nothing()
core.cpu_prepare()
core.task_creations_open()
tasks = [asyncio.Task(coroutine, loop=loop) for _ in range(N)]
found = collections.Counter(map(classify, tasks))
newest = collections.Counter(map(classify, tasks[-N // 10 :]))
core.task_creations_close()
core.cpu_unprepare()
report(all=found, newest=newest)
for task in tasks:
    task._log_destroy_pending = False
coroutine.close()
