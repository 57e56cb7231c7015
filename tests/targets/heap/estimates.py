"""Errors of estimates, in units of their standard deviation: SO."""

import math
import random
import sys

from heap import HEADER, Heap, core, report

N_RUNS = 30
RATE = 512 * 1024


def estimate(rows):
    """Return objects and bytes in use, unsampled bucket by bucket."""
    totals = [0, 0]
    for row in rows:
        found = core.heap_unsample(*row.live.in_use, row.rate)
        totals = [total + part for total, part in zip(totals, found)]
    return totals


def variance(sizes, rate):
    """Return the variance of the estimated sum: each block counts size/p with probability p."""
    chances = [1 - math.exp(-size / rate) for size in sizes]
    return sum(size * size * (1 - p) / p for size, p in zip(sizes, chances))


def keep(sizes):
    return [bytes(size - HEADER) for size in sizes]


def measure_live_set(rate, sizes):
    with Heap(rate) as heap:
        kept = keep(sizes)
        heap.pause()
        rows = [row for row in heap.read() if "keep" in row.names and row.size > 900]
        assert len(kept) == len(sizes)
        del kept
        rows_after = [row for row in heap.read() if "keep" in row.names and row.size > 900]
    return estimate(rows)[1], estimate(rows_after)[1]


def measure_native(rate, sizes):
    """Measure the same with made-up blocks, and a change of the rate in the middle."""
    with Heap(0) as heap:
        core.heap_set_rate(rate)
        for i, size in enumerate(sizes):
            if i == len(sizes) // 2:
                core.heap_set_rate(rate // 4)
            core.heap_note_malloc(0x10000 + 64 * i, size)
        heap.pause()
        rows = [row for row in heap.read() if row.kind == 1]
    return estimate(rows)[1], len({row.rate for row in rows})


generator = random.Random(7)
live_sizes = [1024 * (1 + generator.randrange(64)) for _ in range(1500)]
true = sum(live_sizes)
sigma = math.sqrt(variance(live_sizes, RATE))
runs = [measure_live_set(RATE, live_sizes) for _ in range(N_RUNS)]
at_one, after_one = measure_live_set(1, live_sizes)

native_sizes = [int(generator.expovariate(1 / 3000)) + 1 for _ in range(4000)]
half = len(native_sizes) // 2
native_sigma = math.sqrt(variance(native_sizes[:half], 4096) + variance(native_sizes[half:], 1024))
native = [measure_native(4096, native_sizes) for _ in range(N_RUNS)]

draws = [core.heap_draw(1000) for _ in range(80000)]
mean_draw = sum(draws) / len(draws)
sys.stdout.flush()
report(
    worst=max(abs(found - true) / sigma for found, _ in runs),
    mean=(sum(found for found, _ in runs) / N_RUNS - true) / (sigma / math.sqrt(N_RUNS)),
    relative_sigma=sigma / true,
    left_over=max(left for _, left in runs) + after_one,
    at_one=at_one / true,
    native_mean=(sum(found for found, _ in native) / N_RUNS - sum(native_sizes))
    / (native_sigma / math.sqrt(N_RUNS)),
    n_native_rates=native[0][1],
    # The mean of ceil(x) is larger by nearly 1/2 than that of x.
    draw=(mean_draw - 1000.5) / (1000 / math.sqrt(len(draws))),
    is_draw_positive=min(draws) >= 1,
    draw_at=[core.heap_draw(1), core.heap_draw(0) == 2**64 - 1],
)
