"""Frames of waiting, running and ending threads, read from outside: SO."""

import sys
import threading
import time

from sampler import Session, core, report

is_over = threading.Event()
tids = {}
wrong = []
results = {}


def sleep_at(name, depth):
    if depth:
        sleep_at(name, depth - 1)
    else:
        tids[name] = threading.get_native_id()
        is_over.wait()


def generate(name):
    yield from wait_in_generator(name)


def wait_in_generator(name):
    tids[name] = threading.get_native_id()
    is_over.wait()
    yield


def count():
    tids["count"] = threading.get_native_id()
    while not is_over.is_set():
        sum(range(50))


def names_of(stack):
    return [core.pseudo_name(code) or core.code_alive(code).co_name for code, _ in stack]


def look(name, n):
    """Read a waiting thread's stack n times; all must be equal. Returns the last one."""
    seen = set()
    for _ in range(n):
        result, _, stack = core.outside_walk(tids[name])
        results[name, result] = results.get((name, result), 0) + 1
        if result == "stack":
            seen.add(tuple(names_of(stack)))
    return seen


sys.setrecursionlimit(3000)
session = Session(hz=0)
threads = [
    threading.Thread(target=sleep_at, args=("shallow", 3)),
    threading.Thread(target=sleep_at, args=("deep", 200)),
    threading.Thread(target=sleep_at, args=("deepest", 900)),
    threading.Thread(target=lambda: list(generate("generator"))),
    threading.Thread(target=count),
]
for thread in threads:
    thread.start()
while len(tids) < len(threads):
    time.sleep(0.001)
time.sleep(0.05)  # into their waits; one that is on its way there has moved, no more than that
shallow, deep, deepest = look("shallow", 200), look("deep", 50), look("deepest", 20)
generator = look("generator", 50)
look("count", 200)
# A thread's CPU clock runs while it reads, so a read of its own frames does not count.
own = sorted({core.outside_walk(threading.get_native_id())[0] for _ in range(50)})
n_ended, n_ended_stacks = 0, 0
end = time.monotonic() + 2
while time.monotonic() < end:
    brief = threading.Thread(target=lambda: sum(range(2000)))
    brief.start()
    tid = brief.native_id
    for _ in range(20):
        result, _, stack = core.outside_walk(tid)
        n_ended_stacks += result == "stack"
        names_of(stack)
    brief.join()
    n_ended += 1
gone = core.outside_walk(tids["shallow"] + 100_000)[0]
is_over.set()
for thread in threads:
    thread.join()
session.stop()
report(
    n_ended=n_ended,
    gone=gone,
    own=own,
    shallow=[list(stack) for stack in shallow],
    n_deep=[stack.count("sleep_at") for stack in deep],
    deepest=[[len(stack), stack[-1]] for stack in deepest],
    generator=[list(stack) for stack in generator],
    results={f"{name} {result}": n for (name, result), n in results.items()},
)
