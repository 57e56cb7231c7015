"""Stress of the heap profiler at all rates: SO LIBRARY SECONDS.

Threads that begin and end, cycles with finalisers, realloc, fork, tracemalloc, freed code, foreign
threads, and a reader that reads all the time; at the end nothing may be left over.
"""

import ctypes
import gc
import json
import os
import random
import sys
import threading
import time
import tracemalloc
import warnings

from heap import Heap, core, count_negative, report

failures = []


def make_objects():
    items = [{"id": i, "text": str(i) * 10} for i in range(500)]
    assert json.loads(json.dumps(items)) == items


def grow():
    grown = bytearray()
    for i in range(300):
        grown += bytes(i)
    items = []
    for i in range(3000):
        items.append(i * 1000)
    assert len(grown) == 44850
    assert items[-1] == 2_999_000


class Mortal:
    def __init__(self):
        self.itself = self
        self.block = bytes(3000)

    def __del__(self):
        self.other = [bytes(100) for _ in range(5)]
        self.resurrected = sys.intern("x" * 50)


def collect_cycles():
    for _ in range(50):
        Mortal()
    gc.collect(random.randrange(3))


def start_threads():
    threads = [threading.Thread(target=make_objects) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def make_code():
    namespace = {}
    exec(compile("def f(n):\n    return [str(i) for i in range(n)]", "made", "exec"), namespace)
    assert len(namespace["f"](50)) == 50
    time.sleep(0.02)  # each thread has new stacks


def trace():
    tracemalloc.start()
    make_objects()
    tracemalloc.stop()


def go_down(n=150):
    return go_down(n - 1) if n else [bytes(500) for _ in range(10)]


def run_foreign():
    library.run(note_malloc, note_free, 2, 3000)


def repeat(function):
    try:
        while not is_over:
            function()
    except BaseException as error:
        failures.append(f"{function.__name__}: {error!r}")
        raise


def is_child_clean():
    core.heap_after_fork()
    core.cpu_after_fork()
    status = core.heap_status()
    is_clean = not any(status[name] for name in ("is_hooked", "rate", "n_blocks", "n_buckets"))
    make_objects()
    gc.collect()
    with Heap(1) as again:
        make_objects()
        is_clean = is_clean and core.heap_status()["is_listening_to_gc"]
        return is_clean and any("make_objects" in row.names for row in again.read())


def fork_once():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        outcome = 2
        try:
            outcome = 0 if is_child_clean() else 1
        finally:
            os._exit(outcome)
    return os.waitpid(child, 0)[1]


def read():
    """Read all the time: the in-use columns must be consistent at every moment."""
    rows = core.heap_read(True)
    for bucket in rows:
        for allocs, alloc_bytes, frees, free_bytes in bucket[5:7]:
            if frees > allocs or free_bytes > alloc_bytes:
                failures.append(f"negative: {bucket}")
    core.heap_events()
    core.heap_collections()


is_over = False
library = ctypes.CDLL(sys.argv[2])
with Heap(1) as heap:
    note_malloc, note_free = (ctypes.c_void_p(entry) for entry in core.heap_entries())
    work = (make_objects, grow, collect_cycles, start_threads, make_code, go_down, run_foreign)
    workers = [threading.Thread(target=repeat, args=(function,)) for function in work]
    for worker in workers:
        worker.start()
    end = time.monotonic() + float(sys.argv[3])
    n_rounds = n_forks = 0
    core.heap_adopt()
    while time.monotonic() < end or not n_forks:
        time.sleep(0.01)
        read()
        n_rounds += 1
        core.heap_set_rate((1, 100, 4096, 1, 0)[n_rounds // 5 % 5])
        core.heap_maintain()
        if n_rounds % 10 == 0:
            n_forks += 1
            status = fork_once()
            if status:
                failures.append(f"a forked child failed: {status}")
        if n_rounds % 15 == 0:
            trace()
            core.heap_check_hooks()
    is_over = True
    for worker in workers:
        worker.join()
    core.heap_set_rate(1)
    core.heap_disown()
    run_foreign()
    gc.collect()
    gc.collect()
    heap.pause()
    rows = heap.read()
    n_negative = count_negative(rows)
    foreign = [row for row in rows if row.kind == 1]
    status = core.heap_status()
report(
    failures=failures[:5],
    n_rounds=n_rounds,
    n_forks=n_forks,
    n_negative=n_negative,
    n_foreign=sum(row.live.allocs for row in foreign),
    foreign_in_use=sum(row.live.in_use[0] for row in foreign),
    foreign_stacks=sorted({row.names for row in foreign}),
    status=status,
)
