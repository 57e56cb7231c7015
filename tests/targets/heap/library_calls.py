"""Calls into libraries, during which the engine detaches."""

import threading

from heap import Heap, core, report

N_THREADS = 65  # one more than there are slots


def lose_call():
    core.heap_lose_call()
    all_are_lost.wait()
    may_end.wait()  # until then no other thread has the same thread state


facts = {}
all_are_lost = threading.Barrier(N_THREADS + 1)
may_end = threading.Event()
threads = [threading.Thread(target=lose_call) for _ in range(N_THREADS)]
with Heap(1):
    facts["before"] = core.heap_call_library()
    for thread in threads:
        thread.start()
    all_are_lost.wait()
    facts["lost"] = core.heap_call_library()
with Heap(1):
    facts["after"] = core.heap_call_library()
may_end.set()
for thread in threads:
    thread.join()
report(**facts)
