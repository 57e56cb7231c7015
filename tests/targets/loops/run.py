"""Tasks and threads of an event loop, each of which something can wake, and a few that nothing can.

The environment variable LOOP names the loop: asyncio, uvloop, anyio, anyio+uvloop, anyio+trio or
trio. A healthy task or thread is named after what wakes it. At the end of its input the program
wakes all of them, and prints as ``wrong`` those that stay asleep. "leaked …" ones stay asleep.
The collector is off, so that leaked tasks stay.
"""

import asyncio
import functools
import gc
import os
import sys

from tasks import leak_tasks, start_tasks
from threads import start_threads
from waiting import AWAKE, WAKERS, announce, digest, end, expect

LOOP = os.environ.get("LOOP", "asyncio")


async def start_anyio(group):
    import anyio
    import anyio.from_thread
    import anyio.to_thread

    async def run(name, awaitable):
        expect(name)
        await awaitable
        AWAKE.add(name)

    def start(name, awaitable):
        group.start_soon(run, name, awaitable, name=name)

    sending, receiving = anyio.create_memory_object_stream(0)
    start("anyio by a stream", receiving.receive())
    WAKERS.append(lambda: sending.send_nowait(1))
    near, far = os.pipe()
    start("anyio by a thread", anyio.to_thread.run_sync(os.read, near, 1))
    WAKERS.append(lambda: os.write(far, b"x"))
    left, right = os.pipe()

    async def wait_readable():
        await anyio.wait_readable(left)

    start("anyio by a pipe", wait_readable())
    WAKERS.append(lambda: os.write(right, b"x"))

    event = anyio.Event()

    def call_back():
        anyio.from_thread.run(event.wait)
        AWAKE.add("anyio's own thread")

    expect("anyio's own thread")
    start("anyio by its thread", anyio.to_thread.run_sync(call_back))
    WAKERS.append(event.set)


async def main_with_anyio():
    import anyio

    async with anyio.create_task_group() as group:
        await start_anyio(group)
        server = None
        if LOOP != "anyio+trio":
            server = await start_tasks()
            leak_tasks()
        start_threads()
        await anyio.sleep(0.2)
        announce(ready=LOOP, pid=os.getpid(), has_library=True)
        while await anyio.to_thread.run_sync(sys.stdin.readline):
            announce()
        await end(anyio.sleep)
        if server:
            server.close()


async def main_with_trio():
    import trio

    async with trio.open_nursery() as nursery:
        event = trio.Event()
        limiter = trio.CapacityLimiter(50)

        def call_back():
            trio.from_thread.run(event.wait)
            AWAKE.add("trio's own thread")

        expect("trio's own thread")
        nursery.start_soon(functools.partial(trio.to_thread.run_sync, call_back, limiter=limiter))
        WAKERS.append(event.set)
        start_threads()
        await trio.sleep(0.2)
        announce(ready=LOOP, pid=os.getpid(), has_library=True)
        while await trio.to_thread.run_sync(sys.stdin.readline, limiter=limiter):
            announce()
        await end(trio.sleep)


async def main_with_asyncio():
    loop = asyncio.get_running_loop()
    server = await start_tasks()
    leak_tasks()
    start_threads()
    await asyncio.sleep(0.2)
    announce(ready=LOOP, pid=os.getpid(), has_library=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        announce()
    await end(asyncio.sleep)
    server.close()


def run():
    if LOOP == "trio":
        import trio

        trio.run(main_with_trio)
    elif LOOP.startswith("anyio"):
        import anyio

        backend = "trio" if LOOP == "anyio+trio" else "asyncio"
        options = {"use_uvloop": LOOP == "anyio+uvloop"} if backend == "asyncio" else {}
        anyio.run(main_with_anyio, backend=backend, backend_options=options)
    elif LOOP == "uvloop":
        import uvloop

        loop = uvloop.new_event_loop()
        asyncio.set_event_loop(loop)
        loop.run_until_complete(main_with_asyncio())
    else:
        asyncio.run(main_with_asyncio())


if __name__ == "__main__":
    gc.disable()
    try:
        run()
    except ImportError:
        announce(ready=LOOP, pid=os.getpid(), has_library=False)
        announce(result=digest(0), rounds=1, wrong=0)
