"""Program for memory traces, which times itself: LIBRARY PROGRAM. Prints elapsed and CPU seconds.

CPU time is that of the whole process while the program runs, with threads of a profiler.
"""

from __future__ import annotations

import ctypes
import json
import sys
import threading
import time

N_THREADS = 8
N_BLOCKS = 200_000  # of each thread
N_ROUNDS = 300


class Point:
    def __init__(self, x: int) -> None:
        self.x = x
        self.near = (x, x + 0.5)


def run_objects(library: ctypes.CDLL) -> None:
    for _ in range(N_ROUNDS):
        points = [Point(i) for i in range(1500)]
        rows = [{"x": point.x, "near": list(point.near)} for point in points]
        assert len(json.loads(json.dumps(rows))) == len(points)


def run_native(library: ctypes.CDLL) -> None:
    """Allocate without the GIL, in eight threads at once."""
    threads = [
        threading.Thread(target=library.allocate_blocks, args=(N_BLOCKS, seed))
        for seed in range(N_THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    library.allocate_blocks.argtypes = (ctypes.c_long, ctypes.c_uint32)
    run = {"objects": run_objects, "native": run_native}[sys.argv[2]]
    wall_ns, cpu_ns = time.perf_counter_ns(), time.process_time_ns()
    run(library)
    wall_ns, cpu_ns = time.perf_counter_ns() - wall_ns, time.process_time_ns() - cpu_ns
    print(wall_ns / 1e9, cpu_ns / 1e9)


main()
