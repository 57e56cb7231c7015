"""Rounds of asyncio's usual operations, with the engine's hooks and without.

    python asyncio_load.py EXTENSION N_TURNS

A line a turn: ``PROGRAM BEFORE_NS ON_NS AFTER_NS``, for one operation of the program: without
hooks, with them at default rates, and after a detach. Python 3.9, standard library.
"""

import asyncio
import importlib.machinery
import importlib.util
import sys
import time

N = 500  # short, so that some slices are undisturbed on a busy machine
N_SLICES = 60  # the fastest of them counts
DEPTH = 20  # calls between a coroutine and the function that creates a task
BLOCK_RATE_NS, MUTEX_FRACTION, STALL_NS = 10_000, 10, 100_000_000


def load_core():
    loader = importlib.machinery.ExtensionFileLoader("_core_testing", sys.argv[1])
    spec = importlib.util.spec_from_file_location("_core_testing", sys.argv[1], loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


async def take_free_lock():
    lock = asyncio.Lock()
    for _ in range(N):
        async with lock:
            pass


def do_nothing():
    pass


async def call_back():
    loop = asyncio.get_running_loop()
    for _ in range(N):
        loop.call_soon(do_nothing)
    await asyncio.sleep(0)


async def await_futures():
    loop = asyncio.get_running_loop()
    for _ in range(N):
        future = loop.create_future()
        loop.call_soon(future.set_result, None)
        await future


async def take_turns(lock):
    for _ in range(N // 4):
        async with lock:
            await asyncio.sleep(0)


async def contend():
    lock = asyncio.Lock()
    await asyncio.gather(*(take_turns(lock) for _ in range(4)))


async def run_nothing():
    pass


async def run_tasks():
    tasks = [asyncio.ensure_future(run_nothing()) for _ in range(N)]
    await tasks[-1]


def create_deeply(depth):
    return create_deeply(depth - 1) if depth else asyncio.ensure_future(run_nothing())


async def run_deep_tasks():
    tasks = [create_deeply(DEPTH) for _ in range(N)]
    await tasks[-1]


def measure(loop, function):
    start = time.thread_time_ns()
    loop.run_until_complete(function())
    return (time.thread_time_ns() - start) / N


def find_fastest(loop, function):
    return min(measure(loop, function) for _ in range(N_SLICES))


class Hooks:
    def __init__(self, core):
        self._core = core

    def __enter__(self):
        refusal = self._core.cpu_prepare() or self._core.contention_prepare(time.monotonic_ns())
        assert refusal is None, refusal
        self._core.contention_set_rates(BLOCK_RATE_NS, MUTEX_FRACTION, 0, STALL_NS)
        self._core.asyncio_open()
        assert self._core.asyncio_maintain()

    def __exit__(self, *error):
        self._core.asyncio_close()
        self._core.contention_unprepare()
        self._core.cpu_unprepare()


class Creations:
    """Only the hook that records creators of tasks."""

    def __init__(self, core):
        self._core = core

    def __enter__(self):
        refusal = self._core.cpu_prepare()
        assert refusal is None, refusal
        self._core.task_creations_open()

    def __exit__(self, *error):
        self._core.task_creations_close()
        self._core.cpu_unprepare()


PROGRAMS = {
    "free Lock": (take_free_lock, Hooks),
    "callback": (call_back, Hooks),
    "await of a future": (await_futures, Hooks),
    "Lock that 3 wait for": (contend, Hooks),
    "task": (run_tasks, Creations),
    f"task, {DEPTH} calls deeper": (run_deep_tasks, Creations),
}


def main():
    core, loop = load_core(), asyncio.new_event_loop()
    for _ in range(int(sys.argv[2])):
        for name, (function, make_hooks) in PROGRAMS.items():
            hooks = make_hooks(core)
            before = find_fastest(loop, function)
            with hooks:
                on = find_fastest(loop, function)
            after = find_fastest(loop, function)
            print(f"{name}\t{before}\t{on}\t{after}")
    loop.close()


main()
