"""Threads that check without the GIL whether tracemalloc is on, while others start and stop it and
allocate. N_ROUNDS: how often tracemalloc is started and stopped."""

import faulthandler
import os
import threading
import tracemalloc

from probe import load_core, report

faulthandler.dump_traceback_later(90, exit=True)  # works without the GIL, if no thread gets it
core = load_core()
core.raw_allocator()
is_over = threading.Event()
found = []


def poll():
    n = 0
    while not is_over.is_set():
        n += core.raw_allocator_poll(1000)
    found.append(n)


def allocate():
    while not is_over.is_set():
        [[number] for number in range(1000)]


threads = [threading.Thread(target=work, daemon=True) for work in (poll, poll, poll, allocate)]
for thread in threads:
    thread.start()
for _ in range(int(os.environ["N_ROUNDS"])):
    tracemalloc.start()
    kept = [[number] for number in range(50)]
    tracemalloc.stop()
is_over.set()
for thread in threads:
    thread.join()
report(n_traced=sum(found))
