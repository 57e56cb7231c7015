"""A numpy array of 1 GiB at the line that made it: SO RATE. Its pages are never touched."""

import sys

from heap import Heap, core, report

try:
    import numpy
except ImportError:
    report(refusal="there is no numpy for this Python")
    sys.exit()

GIB = 1 << 30


def make_array():
    return numpy.empty(GIB, dtype=numpy.uint8)


def grow_array(array):
    array.resize(2 * GIB, refcheck=False)


def sums():
    rows = [row for row in heap.read() if row.kind == 1 and row.size >= GIB // 2]
    return {
        name: [sum(row.live.in_use[i] for row in rows if row.names[0] == name) for i in (0, 1)]
        for name in ("make_array", "grow_array")
    }


with Heap(int(sys.argv[2])) as heap:
    facts = {"refusal": core.native_alloc_redirect()}
    array = make_array()
    facts["made"] = sums()
    core.heap_adopt()
    facts["sites"] = sorted(
        core.code_alive(bucket[4][0][0]).co_name
        for bucket in core.heap_read()
        if bucket[3] >= GIB // 2
    )
    core.heap_disown()
    grow_array(array)
    facts["grown"] = sums()
    del array
    facts["freed"] = sums()
    core.native_alloc_restore()
report(**facts)
