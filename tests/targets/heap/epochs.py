"""So many changes of the rate that epoch numbers begin again, while a thread counts down in one of
the last epochs."""

import threading

from heap import HEADER, Heap, core, report

N_EPOCHS = 1 << 18
FAR = 1 << 50  # bytes from sample to sample: never sampled by chance
facts = {"block_bytes": HEADER + 5000}
kept = []
is_next, is_done = threading.Event(), threading.Event()


def allocate_twice():
    for _ in range(2):
        is_next.wait()
        is_next.clear()
        kept.append(bytes(5000))
        is_done.set()


def let_allocate():
    is_next.set()
    is_done.wait()
    is_done.clear()


thread = threading.Thread(target=allocate_twice)
thread.start()
with Heap(FAR) as heap:
    for _ in range(N_EPOCHS - 10):
        core.heap_set_rate(FAR)
    let_allocate()
    for _ in range(20):
        core.heap_set_rate(FAR)
    core.heap_set_rate(1)
    core.heap_maintain()
    let_allocate()
    heap.pause()
    facts["in_use"] = heap.site("allocate_twice", 5000).in_use
thread.join()
report(**facts)
