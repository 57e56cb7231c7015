"""Programs that allocate all the time, timed with and without a profiler: SO PROGRAM MODE …

Rounds run one after the other in one process, because two processes never cost the same. A line for
each mode and turn: the mode, and the CPU time of its round in ns; every mode's round stands between
two rounds without a profiler, whose mean is the third number.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
import tracemalloc

sys.path.append(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "targets")
)
from probe import load_core

with contextlib.suppress(ImportError):  # a peer that may be missing
    import memray

SHORTEST_ROUND_NS = 40_000_000


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = (y, y + 0.5)


def run_objects(n=60):
    for _ in range(n):
        points = [Point(i, i * 1.5) for i in range(1500)]
        points.sort(key=lambda point: -point.x)


DOCUMENT = {
    "users": [
        {"id": i, "name": f"user {i}", "tags": ["a", "b", str(i)], "score": i * 0.25}
        for i in range(150)
    ]
}


def run_json(n=60):
    for _ in range(n):
        assert json.loads(json.dumps(DOCUMENT))["users"]


def run_strings(n=60):
    text = " ".join(f"word{i}" for i in range(1200))
    for _ in range(n):
        words = [word.upper() for word in text.split()]
        assert ",".join(f"{word:>12}" for word in words).replace("W", "w")


def run_buffers(n=2500):
    kept = []
    for i in range(n):
        buffer = bytearray(4096 * (1 + i % 32))
        buffer[::4096] = b"x" * len(buffer[::4096])
        kept.append(bytes(buffer[: 1000 + i]))
        if len(kept) > 100:
            kept.clear()


def run_trees(n=12):
    def grow(depth):
        return {"left": grow(depth - 1), "right": grow(depth - 1)} if depth else [depth]

    for _ in range(n):
        grow(12)


def run_lists(n=220):
    for _ in range(n):
        lists = [[] for _ in range(20)]
        for i in range(4000):
            lists[i % 20].append(i * 1000)


PROGRAMS = {
    "objects": run_objects,
    "json": run_json,
    "strings": run_strings,
    "buffers": run_buffers,
    "trees": run_trees,
    "lists": run_lists,
}


class Stackglass:
    def __init__(self, rate):
        self._rate = rate

    def start(self):
        refusal = core.heap_prepare(time.monotonic_ns())
        assert refusal is None, refusal
        core.heap_set_rate(self._rate)

    def stop(self):
        self.n_samples = core.heap_status()["n_samples"]
        core.heap_unprepare()


class StackglassWithImports(Stackglass):
    """Hooks as in a session: memory of extension modules as well."""

    def start(self):
        super().start()
        refusal = core.native_alloc_redirect()
        assert refusal is None, refusal

    def stop(self):
        core.native_alloc_restore()
        super().stop()


class Memray:
    """memray; with argument 1 it sees Python's small objects, otherwise only their arenas."""

    def __init__(self, is_all):
        self._folder = tempfile.TemporaryDirectory()
        path = os.path.join(self._folder.name, "out")
        self._tracker = memray.Tracker(path, trace_python_allocators=bool(is_all))

    def start(self):
        self._tracker.__enter__()

    def stop(self):
        self.n_samples = 0
        self._tracker.__exit__(None, None, None)
        self._folder.cleanup()


class Tracemalloc:
    def __init__(self, n_frames):
        self._n_frames = n_frames

    def start(self):
        tracemalloc.start(self._n_frames)

    def stop(self):
        self.n_samples = 0
        tracemalloc.stop()


WATCHERS = {
    "stackglass": Stackglass,
    "imports": StackglassWithImports,
    "memray": Memray,
    "tracemalloc": Tracemalloc,
}


def call_below(depth, function):
    """Call a function at the depth of a real program's stack."""
    return call_below(depth - 1, function) if depth else function()


def measure(run, n_runs):
    """Return CPU time of ``n_runs`` runs, after an uncounted run for first-time costs."""
    call_below(20, run)
    start = time.process_time_ns()
    for _ in range(n_runs):
        call_below(20, run)
    return time.process_time_ns() - start


core = load_core()
assert core.cpu_prepare() is None
run = PROGRAMS[sys.argv[2]]
n_runs = 1 + SHORTEST_ROUND_NS // measure(run, 1)
before = measure(run, n_runs)
for _ in range(int(sys.argv[3])):
    for mode in sys.argv[4:]:
        tool, _, value = mode.partition(":")
        watcher = WATCHERS[tool](int(value))
        watcher.start()
        watched = measure(run, n_runs)
        watcher.stop()
        after = measure(run, n_runs)
        print(mode, watched, (before + after) // 2, watcher.n_samples, flush=True)
        before = after
