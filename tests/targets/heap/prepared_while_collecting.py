"""The heap is prepared by a finalizer of a full collection, which another part already watches."""

import gc
import time

from heap import Heap, core, report

SIZE = 5000


class Finalizing:
    def __del__(self):
        facts["during"] = [core.heap_prepare(time.monotonic_ns())]


def new_block():
    return bytes(SIZE)


def make_kept():
    kept.extend([new_block() for _ in range(50)])


def views():
    return [heap.site("new_block", SIZE, view).in_use[0] for view in ("live", "as_of_full")]


facts = {}
kept = []
gc.collect()
gc.disable()
assert core.cpu_prepare() is None
assert core.heap_watch_collections(True)
finalizing = Finalizing()
finalizing.itself = finalizing
del finalizing
gc.collect()
facts["during"] += [core.heap_status()["n_full"], core.heap_collections()]
heap = Heap(1)  # is prepared
core.heap_set_rate(1)
make_kept()
heap.pause()
facts["before_any"] = views()
gc.collect()
facts["full"] = [core.heap_status()["n_full"], [row[2] for row in core.heap_collections()]]
facts["after"] = views()
core.heap_unprepare()
core.cpu_unprepare()
core.heap_watch_collections(False)
report(**facts)
