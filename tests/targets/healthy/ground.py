"""A healthy program's own record: the holder of each lock at any time, and its stuck threads.

The record is a memory-mapped file, which the test reads. For each lock, in 64-bit numbers::

    address │ n │ tid begin end │ tid begin end │ …     the last N_HOLDS holds, in a ring

The thread that has the lock writes a hold between taking and releasing it, so no other thread has
the lock from ``begin`` to ``end`` (CLOCK_MONOTONIC, ns; 0 = it has not ended).
"""

import mmap
import threading
import time

N_LOCKS, N_HOLDS, N_CELLS = 64, 2048, 3
SPAN = 2 + N_CELLS * N_HOLDS


class Ground:
    """Record of all locks of a program, and its threads."""

    def __init__(self, path):
        with open(path, "w+b") as file:
            file.truncate(8 * SPAN * N_LOCKS)
            self._cells = memoryview(mmap.mmap(file.fileno(), 0)).cast("q")
        self._n = 0
        self._steps = {}

    def mark(self, lock):
        """Record the holds of a lock from now on."""
        mark = Mark(self._cells, self._n * SPAN, lock)
        self._n += 1
        return mark

    def start(self, n, function, *arguments):
        """Start ``n`` threads that call a function again and again."""

        def run(step):
            while True:
                function(*arguments)
                step[0] += 1

        for _ in range(n):
            step = [0]
            thread = threading.Thread(target=run, args=(step,), daemon=True)
            thread.name = f"{function.__name__} {len(self._steps)}"
            self._steps[thread.name] = step
            thread.start()

    def list_stuck(self, patience_s):
        """List threads that make no progress."""
        before = {name: step[0] for name, step in self._steps.items()}
        until = time.monotonic() + patience_s
        stuck = set(before)
        while stuck and time.monotonic() < until:
            time.sleep(0.01)
            stuck = {name for name in stuck if self._steps[name][0] == before[name]}
        return sorted(stuck)

    @property
    def n_steps(self):
        return sum(step[0] for step in self._steps.values())


class Mark:
    """Records the holds of one lock."""

    __slots__ = ("_base", "_cells", "_n")

    def __init__(self, cells, base, lock):
        self._cells, self._base, self._n = cells, base, 0
        cells[base] = id(lock)

    def taken(self):
        """Record that the calling thread has just taken the lock."""
        cells, at = self._cells, self._base + 2 + self._n % N_HOLDS * N_CELLS
        cells[at] = threading.get_native_id()
        cells[at + 2] = 0
        cells[at + 1] = time.monotonic_ns()
        self._n += 1
        cells[self._base + 1] = self._n

    def given(self):
        """Record that the lock is about to be released."""
        self._cells[self._base + 2 + (self._n - 1) % N_HOLDS * N_CELLS + 2] = time.monotonic_ns()
