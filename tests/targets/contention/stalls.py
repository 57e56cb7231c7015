"""Callbacks that block an event loop longer than 100 ms: in Python code, asleep, and in C code that
keeps the GIL. A thread of the probe acts as the engine's, and looks 40 times a second."""

import asyncio
import threading
import time

from contention import STALL, STALL_NS, TASK, Contention, core, report

STALL_S = 0.35  # stacks are taken after 50, 100, 200 ms; the last may be 150 ms late
is_over = False
brief_ns = []


def watch():
    while not is_over:
        if core.asyncio_are_due():
            core.asyncio_maintain()
        time.sleep(0.025)


def burn():
    until = time.monotonic() + STALL_S
    while time.monotonic() < until:
        pass


async def burn_in_task():
    await asyncio.sleep(0)
    burn()


async def sleep_in_task():
    time.sleep(STALL_S)


def sleep_in_callback():
    time.sleep(STALL_S)


def keep_gil():
    began = time.monotonic()
    size = 1 << 20
    while time.monotonic() - began < STALL_S:  # one call that takes long enough, on any machine
        began = time.monotonic()
        sum(bytearray(size))
        size *= 2


async def keep_gil_in_task():
    keep_gil()


async def be_brief():
    began_ns = time.monotonic_ns()
    time.sleep(0.005)
    brief_ns.append(time.monotonic_ns() - began_ns)


async def nest():
    """Run a context of the program's own in a callback."""
    import contextvars

    contextvars.copy_context().run(sleep_in_callback)


def run(session, *coroutines, callback=None):
    async def main():
        if callback:
            asyncio.get_running_loop().call_soon(callback)
        await asyncio.gather(*(coroutine() for coroutine in coroutines))
        await asyncio.sleep(0)

    asyncio.run(main())
    rows = session.read(STALL, only_changed=True)
    return sorted([row.names, row.count, row.total_ns] for row in rows)


with Contention() as session:
    core.asyncio_open()
    assert core.asyncio_maintain()
    core.contention_learn()
    watcher = threading.Thread(target=watch)
    watcher.start()
    facts = {
        "burn": run(session, burn_in_task),
        "sleep": run(session, sleep_in_task),
        "callback": run(session, callback=sleep_in_callback),
        "c_code": run(session, keep_gil_in_task),
        "brief": run(session, *[be_brief] * 30),
        "nested": run(session, nest),
    }
    core.contention_set_rates(1, 1, 0)
    facts["off"] = run(session, sleep_in_task)
    core.contention_set_rates(0, 0, 0, 2 * int(STALL_S * 1e9))
    facts["higher"] = run(session, sleep_in_task)
    core.contention_set_rates(0, 0, 0, STALL_NS // 5)
    facts["alone"] = run(session, sleep_in_task)
    facts["n_tasks"] = len(session.read(TASK, only_changed=True))
    is_over = True
    watcher.join()
    core.asyncio_close()
    facts["n_bad_walks"] = core.contention_status()["n_bad_walks"]
report(stall_ns=STALL_S * 1e9, longest_brief_ns=max(brief_ns), **facts)
