"""Which allocations of C code are sampled, in threads that allocate at the same time."""

from __future__ import annotations

import math

import pytest

from native import _core_testing as core

N_THREADS = 8
N_STEPS = 100_000
RATE = 4096


@pytest.mark.parametrize("size", [16, 512, 8192])
def test_estimates_of_threads_are_unbiased(size: int) -> None:
    """Within 5 standard deviations: one test in two million fails by chance."""
    n_sampled = core.native_steps(N_THREADS, N_STEPS, size, RATE)
    n, p = N_THREADS * N_STEPS, 1 - math.exp(-size / RATE)
    assert abs(n_sampled - n * p) < 5 * math.sqrt(n * p * (1 - p))


def test_a_new_rate_draws_anew_in_each_thread() -> None:
    """At rate 1 all are sampled, at 0 none, and of what was left nothing is."""
    for _ in range(300):  # more often than rates have numbers
        assert core.native_steps(N_THREADS, 10, 1, 1) == N_THREADS * 10
        assert core.native_steps(N_THREADS, 10, 1, 1 << 50) == 0
    assert core.native_steps(N_THREADS, 10, 1 << 40, 0) == 0
