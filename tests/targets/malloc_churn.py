"""Allocates and frees blocks of all sizes, so that malloc's lock is mostly taken."""

import random

from rounds import run_rounds


def churn():
    generator = random.Random(7)
    kept = []
    total = 0
    for _ in range(3000):
        block = bytearray(generator.randrange(600, 200_000))
        block[-1] = 1
        total += len(block)
        kept.append(block)
        if len(kept) > 20:
            kept.pop(generator.randrange(20))
    return total


run_rounds("malloc", churn)
