"""Keeps memory by functions that are known: MODE OUT.

``alone``        prints what is kept, as a walk over the objects finds it
``tracemalloc``  prints tracemalloc's figures for each function
``memray``       writes memray's file; prints nothing
``stackglass``   only keeps it, for a recorder

The output is JSON: function → [blocks, bytes]. A walk counts every object once, with the size that
the interpreter reports, and the collector's head in front of it.
"""

import gc
import json
import sys
import tracemalloc

DOCUMENT = json.dumps(
    [{"id": i, "name": f"user {i}", "tags": ["a", str(i)], "score": i * 0.25} for i in range(3000)]
)


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def keep_large():
    return bytes(32 << 20)


def keep_texts():
    return [str(number) * 50 for number in range(10_000)]


def keep_dicts():
    return [{"number": float(number), "square": number * number} for number in range(10_000)]


def keep_json():
    return json.loads(DOCUMENT)


def keep_objects():
    return [Point(float(number), None) for number in range(20_000)]


FUNCTIONS = (keep_large, keep_texts, keep_dicts, keep_json, keep_objects)


def build():
    return {function.__name__: function() for function in FUNCTIONS}


def walk(root, elsewhere):
    """Return blocks and bytes of the objects below ``root``, without the program's own."""
    n_blocks = n_bytes = 0
    found, todo = set(elsewhere), [root]
    while todo:
        value = todo.pop()
        if id(value) in found or isinstance(value, type):
            continue
        found.add(id(value))
        n_blocks += 1
        n_bytes += sys.getsizeof(value)
        todo += gc.get_referents(value)
    return [n_blocks, n_bytes]


def print_walk():
    constants = [value for function in FUNCTIONS for value in function.__code__.co_consts]
    constants += [None, True, False, *range(-5, 257), *map(chr, range(256)), *Point.__dict__]
    constants += Point.__init__.__code__.co_names
    elsewhere = set(map(id, constants))
    print(json.dumps({name: walk(value, elsewhere) for name, value in build().items()}))


def print_traced():
    tracemalloc.start(25)
    kept = build()
    snapshot = tracemalloc.take_snapshot()
    tracemalloc.stop()
    assert len(kept) == len(FUNCTIONS)
    sums = {function.__name__: [0, 0] for function in FUNCTIONS}
    # Each function has one line, below its name.
    names = {function.__code__.co_firstlineno + 1: function.__name__ for function in FUNCTIONS}
    for statistic in snapshot.statistics("traceback"):
        lines = {frame.lineno for frame in statistic.traceback if frame.filename == __file__}
        for line in lines & names.keys():
            sums[names[line]][0] += statistic.count
            sums[names[line]][1] += statistic.size
    print(json.dumps(sums))


def write_memray(path):
    import memray

    with memray.Tracker(path, trace_python_allocators=True):
        kept = build()
    assert len(kept) == len(FUNCTIONS)


mode = sys.argv[1]
if mode == "alone":
    print_walk()
elif mode == "tracemalloc":
    print_traced()
elif mode == "memray":
    write_memray(sys.argv[2])
else:
    everything = build()
