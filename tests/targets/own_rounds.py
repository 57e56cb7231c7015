"""Imports Stackglass, and uses its whole API: labels, profiles of its own, rates, metrics.

Threads compute and suspended tasks wait under labels that change; values come and go, some die;
each round a forked child does the same; every other round the program has rates of its own.
"""

import asyncio
import contextvars
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

from rounds import digest, run_rounds

import stackglass
from stackglass import metrics

REQUEST = contextvars.ContextVar("REQUEST")
open_values = stackglass.Profile("own.values")
weak_values = stackglass.Profile("own.weak")
n_rounds = 0


class Value:
    pass


def compute(number):
    REQUEST.set(f"thread {number % 3}")
    with stackglass.labels(worker=number, kind="thread"):
        return sum(len(str(i * number)) for i in range(3000))


def use_threads():
    results = [None] * 4

    def work(number):
        results[number] = compute(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


async def handle(number, gate):
    REQUEST.set(f"task {number % 5}")
    with stackglass.labels(route=f"/r{number % 4}"):
        await gate.wait()
        await asyncio.sleep(0.001 * (number % 3))
        return number * number


async def serve():
    gate = asyncio.Event()
    tasks = [asyncio.ensure_future(handle(number, gate)) for number in range(40)]
    await asyncio.sleep(0.005)
    gate.set()
    return sum(await asyncio.gather(*tasks))


def fill():
    kept = [Value() for _ in range(30)]
    for value in kept:
        open_values.add(value)
        weak_values.add(value, weak=True)
    names = {"profile": open_values}
    for number in range(10):  # functions that are freed after their round
        exec(f"def made_{number}(): profile.add({number})\nmade_{number}()", names)
    counts = open_values.count(), weak_values.count()
    for value in [*kept, *range(10)]:
        open_values.remove(value)
    del kept, value
    return counts, open_values.count(), weak_values.count()


def fork_child():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, digest((fill(), compute(5))).encode())
        os._exit(7)
    os.close(writer)
    answer = os.read(reader, 100)
    os.close(reader)
    return answer, os.waitpid(pid, 0)[1]


def change_rates():
    """Turn rates on in one round, and off in the next."""
    global n_rounds
    n_rounds += 1
    is_on = n_rounds % 2
    stackglass.set_block_profile_rate(1000 * is_on)
    stackglass.set_mutex_profile_fraction(is_on)
    return metrics.read().time_unix_ns > 0 if n_rounds % 10 == 1 else True


def do_round():
    return use_threads(), asyncio.run(serve()), fill(), fork_child(), change_rates()


run_rounds("own", do_round)
stackglass.withdraw_profile_rates()
