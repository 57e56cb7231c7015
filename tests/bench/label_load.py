"""Cost of labels for the program that uses them; prints one line of JSON. Imports stackglass.

``block`` is a labelled block in ns, ``empty`` the same with a context manager in Python that does
nothing; ``region`` is a region while nothing records; ``samples`` is the CPU time of a round under
a label, profiled at 1 kHz, over that of a round without one.
"""

import io
import json
import statistics
import sys
import time
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

HZ = 1000
N_BLOCKS = 20_000
N_TRIES = 20
N_ROUNDS = int(sys.argv[1])


class Empty:
    __slots__ = ("_labels",)

    def __init__(self, **labels):
        self._labels = labels

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        pass


def time_blocks(make):
    """Return the shortest time of several tries, because disturbances only add."""
    times = []
    for _ in range(N_TRIES):
        began = time.perf_counter()
        for _ in range(N_BLOCKS):
            with make(route="/a"):
                pass
        times.append((time.perf_counter() - began) / N_BLOCKS * 1e9)
    return min(times)


def time_round(context):
    with context:
        began = time.thread_time_ns()
        for _ in range(60):
            sum(i * i for i in range(5000))
        return time.thread_time_ns() - began


def compare_rounds():
    """Return the median ratio of adjacent rounds."""
    with stackglass.cpu_profile(io.BytesIO(), hz=HZ):
        ratios = [
            time_round(stackglass.labels(route="/a")) / time_round(nullcontext())
            for _ in range(N_ROUNDS)
        ]
    return statistics.median(ratios)


facts = {
    "empty": time_blocks(Empty),
    "block": time_blocks(stackglass.labels),
    "region": time_blocks(lambda route: stackglass.region(route)),
}
print(json.dumps({**facts, "samples": compare_rounds()}))
