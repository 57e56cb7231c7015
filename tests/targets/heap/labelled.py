"""Labels in the heap's buckets: those of allocating threads, and more than there is room for."""

import sys
from pathlib import Path

from heap import Heap, core, report

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass

SIZE, BLOCKS, MOST_SETS = 100_000, 10, 65_600


def make():
    return [bytes(SIZE) for _ in range(BLOCKS)]


def make_under(**labels):
    with stackglass.labels(**labels):
        return make()


facts = {}
make_under(route="a")
make_under(route="b")
core.labels_learn()
with Heap(1) as heap:
    kept, dropped, plain = make_under(route="a"), make_under(route="b"), make()
    with stackglass.labels(route="a"):
        del dropped[1:]
    del plain[2:]
    heap.pause()
    rows = [row for row in heap.read() if row.size >= SIZE and "make" in row.names]
    facts["blocks"] = sorted(
        [row.labels, *row.live.in_use[:1], *row.live.total[:1]] for row in rows
    )

with Heap(1) as heap:
    heap.pause()
    core.heap_fill_labels(MOST_SETS)
    blocks = core.heap_read()
    n_of = {labels: sums[0] for *_, sums, _, labels in blocks if labels}
    facts["filled"] = [len(n_of), sum(n_of.values())]
    facts["others"] = [[labels, n] for labels, n in n_of.items() if n > 1]
report(**facts)
