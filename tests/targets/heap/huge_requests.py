"""A request that no allocator can serve, while sampling is off: later rates must still sample."""

import sys
from contextlib import suppress

from heap import HEADER, Heap, core, report

with Heap(0) as heap:
    with suppress(MemoryError):
        bytes(sys.maxsize - HEADER)
    core.heap_set_rate(1)
    kept = []
    for _ in range(10):
        kept.append(bytes(5000))
    heap.pause()
    report(n_in_use=heap.site("<module>", 5000).in_use[0])
