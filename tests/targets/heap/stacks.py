"""Stacks of samples, compared with Python's own, where frames come and go in every way: SO."""

import asyncio
import sys

from heap import Heap, core, report

expected = {}
blocks = []


def visible(frame):
    names, lastis = [], []
    while frame:
        names.append(frame.f_code.co_name)
        lastis.append(frame.f_lasti)
        frame = frame.f_back
    return names, lastis


def mark():
    size = 100_000 + 40_000 * len(expected)  # one size class each, at least within a stack
    blocks.append(bytearray(size))
    expected[size] = visible(sys._getframe())


def recur(n):
    if n:
        recur(n - 1)
        if n % 7 == 0:
            mark()
    else:
        mark()


def delegate(n):
    if n:
        yield from delegate(n - 1)
    else:
        mark()
        yield 1
        mark()


def through_c():
    sorted([3, 1, 2], key=lambda n: mark() or n)


async def leaf():
    mark()
    await asyncio.sleep(0)
    mark()


async def tasks():
    await asyncio.gather(*[leaf() for _ in range(4)])


def same_place_other_caller():
    mark()
    mark()
    for _ in range(3):
        mark()


def make_code():
    for i in range(30):
        namespace = {"mark": mark}
        exec(compile(f"def made{i}():\n    mark()\n", "made", "exec"), namespace)
        namespace[f"made{i}"]()


def run_all():
    mark()
    recur(30)
    list(delegate(12))
    through_c()
    asyncio.run(tasks())
    same_place_other_caller()
    make_code()
    one, other = delegate(3), delegate(5)
    next(one), next(other), list(one), list(other)


def read():
    """Return rows by exact size, from the live blocks, because a bucket has many sizes."""
    blocks_now = core.heap_blocks()
    rows = {row.bucket: row for row in heap.read()}
    by_size = {}
    for _address, size, bucket in blocks_now:
        by_size.setdefault(size, []).append(rows[bucket])
    return by_size


def compare():
    wrong = []
    extra = min(size for size in by_size if size >= 100_000) - 100_000
    for size, (names, lastis) in expected.items():
        found = by_size.get(size + extra)
        if not found:
            wrong.append((size, "missing"))
            continue
        walked = list(found[0].names), list(found[0].lastis)
        names = [
            name if not name.startswith("made") else walked[0][i] for i, name in enumerate(names)
        ]  # their code is dead
        if walked[0] != names or walked[1][1:] != lastis[1:]:
            wrong.append((size, walked, (names, lastis)))
    return wrong


def go_down(n):
    if n:
        return go_down(n - 1)
    return bytes(4_000_000)


with Heap(1) as heap:
    run_all()
    n_walks = len(expected)
    by_size = read()
    wrong = compare()
    # Deferred: the claim is taken, and the hook defers a record with the frames.
    expected.clear()
    blocks.clear()
    core.heap_claim(True)
    for _ in range(3):
        mark()
        same_place_other_caller()
    core.heap_claim(False)
    heap.pause()
    by_size = read()
    wrong_notes = compare()
    n_notes = len(expected)
    lost = core.heap_status()["n_lost"] + core.heap_status()["n_lost_frees"]
    sys.setrecursionlimit(5000)
    core.heap_set_rate(1)
    deep = go_down(600)
    heap.pause()
    deepest = [row for row in heap.read() if row.names[0] == "go_down" and row.size > 3e6]
    shallow = go_down(100)
    status = core.heap_status()
report(
    n_walks=n_walks,
    wrong=wrong[:3],
    n_notes=n_notes,
    wrong_notes=wrong_notes[:3],
    lost=lost,
    n_deep=len(deepest),
    depth=len(deepest[0].names),
    root=deepest[0].names[-1],
    next_to_root=deepest[0].names[-2],
    n_bad_walks=status["n_bad_walks"],
)
