"""Recursion, up and down, deeper than the stacks that any profiler keeps."""

import sys

from rounds import run_rounds

sys.setrecursionlimit(5000)


def descend(n):
    return 0 if n == 0 else 1 + descend(n - 1)


run_rounds("deep", lambda: [descend(depth) for depth in (10, 100, 130, 520, 2000)])
