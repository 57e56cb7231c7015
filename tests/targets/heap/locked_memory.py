"""Live blocks are forgotten in a program that has locked its memory."""

import ctypes
import tracemalloc

from heap import Heap, core, report

LOCK_ALL = 1 | 2 | 4  # MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT

N_BLOCKS = 500


def work():
    return [bytes(20_000) for _ in range(N_BLOCKS)]


def in_use():
    rows = [row for row in heap.read() if "work" in row.names and row.size > 20_000]
    return sum(row.live.in_use[0] for row in rows)


facts = {"is_locked": ctypes.CDLL(None).mlockall(LOCK_ALL) == 0}
tracemalloc.start()
with Heap(1) as heap:
    kept = work()
    facts["before"] = in_use()
    tracemalloc.stop()  # removes the engine's hooks
    heap.pause()
    facts["is_called"] = core.heap_check_hooks()
    facts["forgotten"] = [in_use(), core.heap_status()["n_blocks"], len(core.heap_blocks())]
    kept = None
    core.heap_set_rate(1)
    bytes(10_000)
    kept = work()  # mostly where the forgotten blocks were
    heap.pause()
    facts["again"] = in_use()
    facts["has_right_count"] = core.heap_status()["n_blocks"] == len(core.heap_blocks())
report(**facts)
