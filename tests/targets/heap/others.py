"""Other tools that hook the same allocators, above and below: SO."""

import ctypes
import time
import tracemalloc

from heap import Heap, core, report


class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]


def allocator():
    found = Allocator()
    ctypes.pythonapi.PyMem_GetAllocator(2, ctypes.byref(found))
    return found.malloc


def work(n=50):
    return [bytes(5000) for _ in range(n)]


def sampled():
    return sum(row.live.allocs for row in heap.read() if "work" in row.names and row.size > 4000)


def live():
    return sum(row.live.in_use[0] for row in heap.read() if "work" in row.names and row.size > 4000)


original = allocator()
facts = {}

# Another hook comes after the engine's, and goes before it.
with Heap(1) as heap:
    engines = allocator()
    tracemalloc.start()
    kept = work()
    facts["above"] = [sampled(), tracemalloc.get_traced_memory()[0] > 250_000]
    facts["above_called"] = core.heap_check_hooks()
    tracemalloc.stop()
    kept = None
    facts["above_freed"] = live()
facts["restored"] = allocator() == original

# Another hook comes after the engine's, and stays: the engine's pass calls on, and are reused.
with Heap(1) as heap:
    tracemalloc.start()
    kept = work()
facts["left"] = allocator() != original
work()
with Heap(1) as heap:
    kept = work()
    facts["again"] = sampled()
    facts["again_called"] = core.heap_check_hooks()
    tracemalloc.stop()
    kept = work()
    facts["again_after"] = sampled()
facts["restored_later"] = allocator() == original

# Another hook was there before, and goes: the allocator that it restores has no engine hook.
tracemalloc.start()
with Heap(1) as heap:
    kept = work()
    facts["below"] = [sampled(), tracemalloc.get_traced_memory()[0] > 250_000]
    tracemalloc.stop()
    unseen = work()
    facts["below_gone"] = [sampled(), core.heap_check_hooks(), core.heap_check_hooks()]
    facts["forgotten"] = live()
    kept = work()
    facts["hooked_again"] = [live(), core.heap_status()["n_displaced"]]
facts["restored_at_last"] = allocator() == original

# Many times, in every order.
for i in range(20):
    if i % 2:
        tracemalloc.start(3)
    core.cpu_prepare()
    assert core.heap_prepare(time.monotonic_ns()) is None
    core.heap_set_rate(1)
    if i % 3:
        tracemalloc.start()
    kept = work(5)
    if i % 5 == 0:
        tracemalloc.stop()
    kept = work(5)
    core.heap_check_hooks()
    core.heap_unprepare()
    tracemalloc.stop()
    kept = work(5)
facts["at_last"] = allocator() in (original, engines)
report(**facts)
