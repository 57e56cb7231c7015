"""Counts of objects by type, in slices of every size, while objects die, are born and are moved."""

from __future__ import annotations

import gc
import json
import sys
import types
from collections import OrderedDict, defaultdict, deque

from heap import Heap, core

FOREVER_NS = 10**12
N = 3000


class Plain:
    def __init__(self, value: object) -> None:
        self.value = value


class Slotted:
    __slots__ = ("other",)


class Liar(dict):
    def __sizeof__(self) -> int:
        raise AssertionError("a census runs no code of the program")


class LyingType(type):
    @property
    def __module__(self) -> str:
        raise AssertionError("nor of its metaclasses")

    @property
    def __sizeof__(self) -> object:
        raise AssertionError("nor of their descriptors")


class Lied(metaclass=LyingType):
    pass


class Renamed:
    pass


Renamed.__module__ = "some.where"
Renamed.__qualname__ = "Else.Here"


def count(steps: int, between=lambda: None) -> dict:
    """Take a whole census, ``steps`` at a time."""
    while not core.census_go_on(FOREVER_NS, steps):
        between()
    return finish()


def finish() -> dict:
    found = core.census_result()
    core.census_abandon()
    assert found["problem"] == "", found
    found["types"] = {name: (n, size) for name, n, size in found["types"]}
    return found


def find(found: dict, cls: type) -> tuple:
    return found["types"].get(f"{cls.__module__}.{cls.__qualname__}", (0, 0))


def check_counts() -> list:
    """Compare known numbers, for every size of slice; no object of the engine's may remain."""
    gc.collect()
    keep = [Plain(i) for i in range(N)]
    before = len(gc.get_objects())
    wrong = []
    for steps in (1, 7, 1000, 10**9):
        found = count(steps)
        if find(found, Plain)[0] != N or not found["is_whole"]:
            wrong.append((steps, find(found, Plain), found["n_slices"]))
    del found
    gc.collect()
    if len(gc.get_objects()) > before + 5:
        wrong.append(("left behind", before, len(gc.get_objects())))
    del keep
    return wrong


def check_sizes() -> list:
    """Compare bytes with sys.getsizeof, where that calls only the interpreter."""
    keep = {
        Plain: [Plain(i) for i in range(10)],
        Slotted: [Slotted() for _ in range(10)],
        OrderedDict: [OrderedDict.fromkeys(range(n)) for n in range(9)],
        defaultdict: [defaultdict(list, {(): 1}) for _ in range(9)],
        deque: [deque(range(n)) for n in range(0, 200, 20)],
        types.GeneratorType: [(i for i in [n]) for n in range(5)],
        types.FunctionType: [],
        frozenset: [frozenset(range(n)) for n in range(0, 300, 30)],
        set: [],
        list: [],
        dict: [],
        memoryview: [memoryview(b"abc")],
    }
    core.census_go_on(FOREVER_NS, 10**9)
    objects = gc.get_objects()
    found = finish()
    wrong = []
    for cls in keep:
        mine = [o for o in objects if type(o) is cls and o is not objects]
        n, size = find(found, cls)
        real = sum(map(sys.getsizeof, mine))
        # This function has made a list or a dict or two since.
        if abs(n - len(mine)) > 8 or abs(size - real) > 0.03 * real + 600:
            wrong.append((cls.__name__, n, len(mine), size, real))
    return wrong


def check_names() -> list:
    keep = [Liar(a=1), Lied(), Renamed()]
    names = count(10**9)["types"]
    expected = ["__main__.Liar", "__main__.Lied", "some.where.Else.Here", "builtins.dict"]
    expected += ["collections.OrderedDict", "builtins.type", "builtins.function"]
    del keep
    return [name for name in expected if name not in names and name != "collections.OrderedDict"]


def check_moves() -> list:
    """Collect (young, middle, full) or freeze between any two slices."""
    keep = [Plain([i]) for i in range(N)]
    wrong = []
    for name, generations, steps in (
        ("young", (0,), 50),
        ("middle", (0, 1), 50),
        ("all", (0, 1, 0, 0, 2, 0, 1), 6000),
    ):
        turn = [0]

        def collect(turn=turn, generations=generations) -> None:
            gc.collect(generations[turn[0] % len(generations)])
            turn[0] += 1

        gc.collect()
        young = [Plain(i) for i in range(N)]  # in the youngest
        found = count(steps, collect)
        if find(found, Plain)[0] != 2 * N or not found["is_whole"]:
            wrong.append((name, find(found, Plain), found["n_slices"], found["n_restarts"]))
        del young
    frozen = [False]

    def freeze() -> None:
        gc.unfreeze() if frozen[0] else gc.freeze()
        frozen[0] = not frozen[0]

    found = count(5000, freeze)
    gc.unfreeze()
    if find(found, Plain)[0] != N:
        wrong.append(("freeze", find(found, Plain), found["n_restarts"], found["is_whole"]))
    # A full collection after each slice: the first one moves what lies in front of its only
    # referrer, seen or not, to the end of the list.
    for steps in (200, 500, 3000):
        gc.disable()
        del keep
        plain = [Plain([i]) for i in range(N)]
        keep = plain.copy()
        del plain
        gc.freeze()  # all into one list, as they were made
        gc.unfreeze()
        found = count(steps, gc.collect)
        gc.enable()
        if find(found, Plain)[0] != N or not found["is_whole"] or not found["n_restarts"]:
            wrong.append(("endless", find(found, Plain), found["n_restarts"], found["is_whole"]))
    del keep
    return wrong


def check_churn() -> list:
    """Free half of the objects between slices, and make others."""
    keep = [Plain(i) for i in range(N)]
    doomed = [Plain(i) for i in range(N)]
    fresh = []

    def churn() -> None:
        del doomed[-7:]
        fresh.append([Slotted() for _ in range(20)])

    n = find(count(100, churn), Plain)[0]
    del keep
    return [] if N <= n <= 2 * N else [n]


def check_finaliser() -> list:
    """Run a slice during a collection, where it must do nothing; it continues afterwards."""
    asked = []

    class Dying:
        def __del__(self) -> None:
            asked.append(core.census_go_on(FOREVER_NS, 10**9))

    keep = [Plain(i) for i in range(N)]
    knot = Dying()
    knot.self = knot
    core.census_go_on(FOREVER_NS, 100)
    del knot
    gc.collect()
    n = find(count(1000), Plain)[0]
    del keep
    return [] if asked == [False] and n == N else [asked, n]


def keep_texts() -> list:
    return [str(i) * 40 for i in range(200)]


def keep_pairs() -> list:
    return [(str(i) * 40, i * 10**30) for i in range(200)]


def keep_cache() -> dict:
    # From 10 on: Python itself keeps each bytes object of one character, which is in no object.
    return {str(i) * 30: b"%d" % i * 30 for i in range(10, 210)}


def keep_objects() -> list:
    return [Plain(float(i)) for i in range(200)]


def check_blocks(steps: int) -> list:
    """Compare types of sampled blocks: objects, their references, untracked containers, tables."""
    with Heap(1) as heap:
        kept = [keep_texts(), keep_pairs(), keep_cache(), keep_objects(), bytearray(5000)]
        heap.pause()
        names = {row.bucket: row.names for row in heap.read()}
        gc.collect()
        core.heap_adopt()
        found = count(steps)
        core.heap_disown()
    sums: dict = {}
    for _, _, bucket, name in found["blocks"]:
        site = next((n for n in names.get(bucket, ()) if n.startswith("keep_")), "")
        sums[site, name] = sums.get((site, name), 0) + 1
    wrong = []
    for site, name, n in (
        ("keep_texts", "builtins.str", 200),
        ("keep_texts", "builtins.list", 1),
        ("keep_pairs", "builtins.str", 200),
        ("keep_pairs", "builtins.int", 199),
        ("keep_cache", "builtins.str", 200),
        ("keep_cache", "builtins.bytes", 200),
        ("keep_cache", "builtins.dict", 1),
        ("keep_objects", "__main__.Plain", 200),
    ):
        if sums.get((site, name), 0) < n:
            wrong.append((site, name, sums.get((site, name))))
        # Up to 3.10 a function keeps its last frame.
        if sums.get((site, ""), 0) > 1:
            wrong.append((site, "unknown", sums[site, ""]))
    del kept
    return [*wrong, sorted(map(str, sums.items()))] if wrong else []


if __name__ == "__main__":
    refusal = core.cpu_prepare()
    assert refusal is None, refusal
    reported = {
        "counts": check_counts(),
        "sizes": check_sizes(),
        "names": check_names(),
        "moves": check_moves(),
        "churn": check_churn(),
        "finaliser": check_finaliser(),
        "blocks": check_blocks(10**9),
        "blocks in slices": check_blocks(3),
    }
    core.cpu_unprepare()
    print(json.dumps(reported))
