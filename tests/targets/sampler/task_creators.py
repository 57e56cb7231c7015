"""The hook of tasks: installed, removed, and abandoned as in a forked child. Reports which classes
have which tp_init, and which creators are known."""

import asyncio
import ctypes

from sampler import core, report

TP_INIT, WRAPPED = 296, 48


def read(address):
    return ctypes.c_void_p.from_address(address).value


class Early(asyncio.Task):
    pass


class Own(asyncio.Task):
    def __init__(self, coro):
        super().__init__(coro)


def read_slots(*classes):
    """Return tp_init of Task and these classes, and of Task's ``__init__``."""
    slots = [read(id(each) + TP_INIT) for each in (asyncio.Task, *classes)]
    return [*slots, read(id(asyncio.Task.__dict__["__init__"]) + WRAPPED)]


async def doze():
    await asyncio.sleep(1000)


def create(kind):
    return kind(doze())


def describe(task):
    """Return whether create() is in the stack of a task's creation, and whether it is older."""
    frames, creator, is_older = core.task_creations_find(task)
    wanted = core.code_id(create.__code__)
    return [any(code == wanted for code, _ in frames), bool(creator), is_older]


async def main():
    facts, tasks = {}, [create(asyncio.Task)]
    original = read_slots(Early)
    core.task_creations_open()

    class Late(Early):
        pass

    slots = read_slots(Early, Late)
    facts["is_hooked"] = len(set(slots)) == 1 and slots[0] != original[0]
    tasks += [create(kind) for kind in (asyncio.Task, Early, Late, Own)]
    facts["open"] = [describe(task) for task in tasks]
    core.task_creations_close()
    facts["is_restored"] = set(read_slots(Early, Late)) == {original[0]}
    facts["closed"] = describe(tasks[1])
    between = create(Late)
    core.task_creations_open()
    tasks.append(create(Own))
    facts["again"] = [describe(task) for task in (tasks[1], between, tasks[-1])]
    core.task_creations_after_fork()
    slots = read_slots()
    facts["is_abandoned"] = set(slots) == {original[0]}
    facts["forked"] = describe(tasks[-1])
    tasks += [create(Late), create(Early), between]  # classes that keep the hook
    core.task_creations_open()
    tasks.append(create(Early))
    facts["after_fork"] = describe(tasks[-1])
    core.task_creations_close()
    facts["is_restored_again"] = set(read_slots(Early, Late)) == {original[0]}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    report(**facts)


core.cpu_prepare()
asyncio.run(main())
core.cpu_unprepare()
