"""The task of the calling thread, read by the engine and compared with asyncio's answer."""

import asyncio
import contextvars
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe import load_core, report

core = load_core()
wrong = []
OTHERS = "<other tasks>"


def compare(expected):
    """Compare names, read in place and as a thread with the GIL reads them."""
    read = core.tasks_read()[:2]
    if read != (expected, expected):
        wrong.append([expected, *read])


class Derived(asyncio.Task):
    pass


async def say(name, expected=None):
    task = asyncio.current_task()
    task.set_name(name)
    compare(expected or name)
    await asyncio.sleep(0)
    nested(10, expected or name)


def nested(depth, expected):
    if depth:
        nested(depth - 1, expected)
    else:
        compare(expected)


async def say_nothing():
    """Return the name that asyncio has made, or will make."""
    before = core.tasks_read()[0]
    await asyncio.sleep(0)
    if before != asyncio.current_task().get_name():
        wrong.append([asyncio.current_task().get_name(), before])


async def ask_from_another_thread():
    """Read the task of a thread that runs none, while this thread runs one."""
    thread = threading.Thread(target=compare, args=(None,))
    thread.start()
    thread.join()


async def run_names():
    await say("one")
    await say("ünö ☃ 𐍈")
    await say("x" * 116)
    await say("x" * 117, "x" * 116 + "…")
    await say("☃" * 60, "☃" * 38 + "…")
    await say("")
    await Derived(say("derived"), loop=asyncio.get_running_loop())
    await asyncio.gather(*(say_nothing() for _ in range(20)))
    await ask_from_another_thread()
    for i in range(2000):  # at few addresses, which are reused
        await asyncio.ensure_future(say(f"name {i}"))


async def measure():
    begin = time.perf_counter_ns()
    core.tasks_read(10000)
    return (time.perf_counter_ns() - begin) / 10000


async def run_many():
    """Run as many tasks as there is room for, and one more of each kind; known names must stay."""
    for i in range(4):
        await say(f"few {i}", OTHERS if i == 3 else None)
    await say("few 0")
    core.tasks_forget()
    core.tasks_learn()
    for i in range(3):
        await say(f"Task-{i}", OTHERS if i == 2 else None)
    await say("few")


TENANT = contextvars.ContextVar("tenant")
NUMBER = contextvars.ContextVar("number", default=5)  # a default is no value of the context
NO_VARIABLE = "tenant"


class Text(str):
    """A subclass of str, which is not read."""


async def run_variables():
    compare("Task-var")
    for value, text in (
        ("a", "a"),
        ("ü ☃", "ü ☃"),
        ("", ""),
        (7, "7"),
        (-12, "-12"),
        (0, "0"),
        (2**59, str(2**59)),
        ("y" * 200, "y" * 116 + "…"),
    ):
        token = TENANT.set(value)
        compare([("task", "Task-var"), ("TENANT", text)])
        TENANT.reset(token)
    compare("Task-var")
    NUMBER.set(1)
    TENANT.set("b")
    compare([("task", "Task-var"), ("TENANT", "b"), ("NUMBER", "1")])
    for value in (2**90, 1.5, None, True, Text("t"), b"b"):
        TENANT.set(value)
        compare([("task", "Task-var"), ("NUMBER", "1")])


def run_variables_without_a_task():
    TENANT.set("c")
    compare([("TENANT", "c")])


problem = core.cpu_prepare()
core.tasks_learn()
compare(None)
asyncio.run(run_names())
compare(None)
n_unknown = core.tasks_read()[2]
task_ns = asyncio.run(measure())
core.tasks_forget()
compare(None)
core.variables_request("__main__:TENANT,__main__:NO_VARIABLE,:x,y:,nowhere:Z,__main__:TENANT")
core.variables_request("__main__:NUMBER")
core.tasks_learn()


async def begin_variables():
    await asyncio.get_running_loop().create_task(run_variables(), name="Task-var")


asyncio.run(begin_variables())
contextvars.Context().run(run_variables_without_a_task)
compare(None)
core.tasks_forget()
core.tasks_limit(3, 2)
core.tasks_learn()
asyncio.run(run_many())
core.tasks_forget()
begin = time.perf_counter_ns()
core.tasks_read(10000)
report(
    problem=problem or "",
    wrong=wrong,
    unknown=n_unknown,
    task_ns=task_ns,
    plain_ns=(time.perf_counter_ns() - begin) / 10000,
)
