"""Results of asyncio's primitives, futures and callbacks without the hooks, with them, and after
them: each time the same lines, and the same objects."""

import asyncio
import contextvars
import gc
import inspect
import re
import sys
import traceback
from asyncio import events, locks, queues

from contention import Contention, core, report

CLASSES = [
    locks.Lock,
    locks.Event,
    locks.Condition,
    locks.Semaphore,
    locks.BoundedSemaphore,
    queues.Queue,
    queues.PriorityQueue,
    events.Handle,
    asyncio.Future,
    contextvars.Context,
]
number = contextvars.ContextVar("number", default=0)


def snap():
    """Return all attributes of the classes, by identity."""
    return [
        [one.__qualname__, name, id(value) if callable(value) else ""]
        for one in CLASSES
        for name, value in sorted(vars(one).items())
    ]


def describe(error):
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    cause = error.__cause__ or error.__context__
    return f"{type(error).__name__} {error} {names} {type(cause).__name__}"


def clean(text):
    return re.sub(r"0x[0-9a-f]+|Task-\d+", "…", text)


async def attempt(lines, name, awaitable):
    try:
        lines.append(f"{name}: {clean(repr(await awaitable))}")
    except (asyncio.CancelledError, asyncio.TimeoutError, KeyError) as error:
        lines.append(f"{name}: {describe(error)}")


async def take(lock, lines, name):
    try:
        async with lock:
            lines.append(f"{name} has it")
            await asyncio.sleep(0)
    finally:
        lines.append(f"{name} is done")


async def contend(lines):
    lock = asyncio.Lock()
    await lock.acquire()
    tasks = [asyncio.ensure_future(take(lock, lines, name)) for name in "abcd"]
    await asyncio.sleep(0)
    for task in tasks:
        lines.append(str([frame.f_code.co_name for frame in task.get_stack()]))
        awaited = task.get_coro().cr_await
        while inspect.iscoroutine(awaited):
            awaited = awaited.cr_await
        lines.append(type(awaited).__name__)
        lines.append(clean(repr(task)))
    lines.append(clean(repr(lock)))
    lines.append(clean(repr(lock._waiters[0])))
    tasks[1].cancel()
    lock.release()
    tasks[2].cancel("because") if sys.version_info < (3, 11) else tasks[2].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    lines.append(str([type(one).__name__ for one in found]))


async def run_out_of_time(lines):
    lock, event, queue = asyncio.Lock(), asyncio.Event(), asyncio.Queue(1)
    semaphore, condition = asyncio.Semaphore(0), asyncio.Condition()
    await lock.acquire()
    await condition.acquire()
    queue.put_nowait(1)
    full, empty = queue, asyncio.Queue()
    for name, awaitable in (
        ("lock", lock.acquire()),
        ("event", event.wait()),
        ("semaphore", semaphore.acquire()),
        ("condition", condition.wait()),
        ("put", full.put(2)),
        ("get", empty.get()),
        ("join", full.join()),
    ):
        await attempt(lines, name, asyncio.wait_for(awaitable, 0.001))
    lines.append(clean(repr([lock, event, semaphore, queue, empty])))
    for name, function in (("release", asyncio.Lock().release), ("notify", condition.notify)):
        try:
            lines.append(f"{name}: {function()}")
        except RuntimeError as error:
            lines.append(f"{name}: {describe(error)}")


async def drive_by_hand(lines):
    lock = asyncio.Lock()
    await lock.acquire()
    for way in ("throw", "close", "drop", "send"):
        coroutine = lock.acquire()
        future = coroutine.send(None)
        lines.append(f"{way} {type(future).__name__} {future.done()}")
        try:
            if way == "throw":
                coroutine.throw(ValueError("thrown"))
            elif way == "close":
                coroutine.close()
            elif way == "send":
                future.set_result(True)
                coroutine.send(None)
        except (ValueError, StopIteration) as error:
            lines.append(describe(error))
        del coroutine
        gc.collect()
        lines.append(clean(repr(lock)))


async def use_futures(lines):
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_soon(future.set_result, 5)
    await attempt(lines, "future", future)
    for arguments in ((6,), (), (1, 2)):
        try:
            future.set_result(*arguments)
        except (asyncio.InvalidStateError, TypeError) as error:
            lines.append(describe(error))
    try:
        future.set_result(result=1)
    except (asyncio.InvalidStateError, TypeError) as error:
        lines.append(describe(error))
    failed = loop.create_future()
    loop.call_soon(failed.set_exception, KeyError("no"))
    await attempt(lines, "failed", failed)
    await attempt(lines, "shielded", asyncio.shield(asyncio.sleep(0, "slept")))


async def use_contexts(lines):
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    heard = []
    loop.set_exception_handler(lambda loop, context: heard.append(repr(context["exception"])))
    loop.call_soon(number.set, 3, context=context)
    loop.call_soon(lambda: heard.append(number.get()))
    loop.call_soon(lambda: 1 / 0)
    loop.call_soon(lambda *arguments: heard.append(arguments), 1, 2)
    for _ in range(3):
        await asyncio.sleep(0)
    lines.append(f"{heard} {context.run(number.get)} {number.get()}")
    for arguments, names in (((), {}), ((1,), {}), ((sorted, [2, 1]), {"reverse": True})):
        try:
            lines.append(str(context.run(*arguments, **names)))
        except TypeError as error:
            lines.append(describe(error))
    try:
        context.run(context.run, int)
    except RuntimeError as error:
        lines.append(clean(describe(error)))


def collect():
    lines = []
    for function in (contend, run_out_of_time, drive_by_hand, use_futures, use_contexts):
        lines.append(function.__name__)
        asyncio.run(function(lines))
    for one in CLASSES[:6]:
        lines += [
            f"{one.__name__}.{name} {asyncio.iscoroutinefunction(value)} {inspect.signature(value)}"
            for name, value in sorted(vars(one).items())
            if inspect.isfunction(value)
        ]
    return lines


async def come_and_go(session):
    """Run tasks that begin to wait before or with the hooks, and end after them."""
    lock, queue, lines = asyncio.Lock(), asyncio.Queue(), []
    await lock.acquire()
    early = asyncio.ensure_future(take(lock, lines, "early"))
    await asyncio.sleep(0)
    core.asyncio_open()
    core.asyncio_maintain()
    late = [asyncio.ensure_future(take(lock, lines, name)) for name in ("late", "later")]
    getting = asyncio.ensure_future(queue.get())
    await asyncio.sleep(0)
    n_waits = core.asyncio_waits()
    core.asyncio_close()
    session.read(only_changed=True)
    lock.release()
    queue.put_nowait(7)
    late[1].cancel()
    await asyncio.gather(early, *late, return_exceptions=True)
    lines.append(str(await getting))
    return [lines, n_waits, core.asyncio_waits(), len(session.read(only_changed=True))]


modules = sorted(sys.modules)
before = snap()
facts = {"without": collect()}
with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_maintain()
    facts["with"] = collect()
    facts["are_same_with"] = snap() == before
    # Rates off: the hooks are removed, too; and on again.
    core.contention_set_rates(0, 0, 0)
    facts["is_off"] = core.asyncio_are_due() and not core.asyncio_maintain()
    core.contention_set_rates(1, 1, 0)
    facts["is_on"] = core.asyncio_are_due() and core.asyncio_maintain()
    core.asyncio_close()
    facts["is_closed"] = not core.asyncio_maintain() and not core.asyncio_are_due()
    facts["after"] = collect()
    facts["come_and_go"] = asyncio.run(come_and_go(session))
    core.asyncio_open()
    core.asyncio_maintain()
    core.asyncio_after_fork()
    facts["forked"] = collect()
    facts["n_waits"] = core.asyncio_waits()
facts["are_same_after"] = snap() == before
facts["new_modules"] = sorted(set(sys.modules) - set(modules))
report(**facts)
