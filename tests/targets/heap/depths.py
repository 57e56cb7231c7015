"""Number of frames kept of a stack of 1500: by default, with the least and the most possible depth,
and beyond; recorded by the hook, or deferred to the holder of the claim."""

import sys

from heap import Heap, core, report

sys.setrecursionlimit(5000)
kept = {}


def go_down(n, is_deferred):
    if n:
        return go_down(n - 1, is_deferred)
    if is_deferred:  # here, so that the frames' own records do not fill the ring
        core.heap_claim(True)
    block = bytes(4_000_000)
    if is_deferred:
        core.heap_claim(False)
    return block


def measure(depth, is_deferred):
    with Heap(1, depth) as heap:
        block = go_down(1500, is_deferred)
        heap.pause()
        (row,) = (row for row in heap.read() if row.names[0] == "go_down" and row.size > 3e6)
        assert len(block) == 4_000_000
        return len(row.names), row.names[-1], row.names[-2]


for asked in (0, 1, 300, 1024, 5000):
    kept[asked] = [measure(asked, is_deferred) for is_deferred in (False, True)]
report(kept=[kept[asked] for asked in (0, 1, 300, 1024, 5000)])
