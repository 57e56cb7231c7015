"""Stress of frames and code objects in many ways at once, at 10 kHz: SO CLOCK SECONDS."""

import asyncio
import gc
import os
import sys
import threading
import time
import warnings

from sampler import Session, core, report

failures = []


def delegate():
    def inner(n):
        if n:
            yield from inner(n - 1)
        else:
            yield from range(20)

    assert sum(inner(15)) == 190


def raise_deep():
    def fall(n):
        if n == 0:
            raise ValueError
        try:
            fall(n - 1)
        except ValueError as error:
            raise KeyError from error

    try:
        fall(10)
    except KeyError:
        return
    raise AssertionError


def make_code():
    namespace = {}
    exec(compile("def f(n):\n    return sum(i * i for i in range(n))", "made", "exec"), namespace)
    assert [namespace["f"](5) for _ in range(20)] == [30] * 20


def recur():
    def count(n):
        return 0 if n == 0 else 1 + count(n - 1)

    def through_c(n):
        return n if n <= 0 else max([n], key=lambda _: through_c(n - 1))

    assert count(240) == 240
    assert through_c(40) == 40


def run_tasks():
    async def leaf():
        await asyncio.sleep(0)
        return sorted([3, 1, 2], key=lambda n: -n)

    async def main():
        return await asyncio.gather(*[leaf() for _ in range(20)])

    assert asyncio.run(main()) == [[3, 2, 1]] * 20


def collect_cycles():
    cycles = [[] for _ in range(2000)]
    for cycle in cycles:
        cycle.append(cycles)
    del cycles, cycle
    gc.collect()


def start_threads():
    threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def repeat(function):
    try:
        while not is_over:
            function()
    except BaseException as error:
        failures.append(f"{function.__name__}: {error!r}")
        raise


def fork_once():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        core.cpu_after_fork()
        make_code()
        os._exit(0)
    return os.waitpid(child, 0)[1]


def find_missing():
    seen = {name for sample in session.samples for name in sample[4]}
    return [function.__name__ for function in work if function.__name__ not in seen]


is_over = False
session = Session(hz=10000, clock=sys.argv[2])
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
work = (delegate, raise_deep, make_code, recur, run_tasks, collect_cycles, start_threads)
workers = [threading.Thread(target=repeat, args=(function,)) for function in work]
for worker in workers:
    worker.start()
begun = time.monotonic()
seconds = float(sys.argv[3])
n_rounds = 0
# On a busy machine some threads get little CPU time: go on until all are seen.
while time.monotonic() < begun + seconds or (
    find_missing() and time.monotonic() < begun + 10 * seconds
):
    time.sleep(0.02)
    session.collect()
    core.cpu_snapshot()
    n_rounds += 1
    if n_rounds % 20 == 0 and fork_once() != 0:
        failures.append("a forked child failed")
is_over = True
for worker in workers:
    worker.join()
session.stop()
report(
    refusal=None,
    failures=failures,
    n_samples=sum(sample[2] for sample in session.samples),
    n_lost=session.status["n_lost"],
    n_bad_walks=session.status["n_bad_walks"],
    n_unnamed=sum("?" in sample[4] for sample in session.samples),
    cpu_s=session.cpu_ns / 1e9,
    total=session.total_ns / session.cpu_ns,
    missing=find_missing(),
)
