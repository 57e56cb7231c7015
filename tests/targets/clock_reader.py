"""Reads the clock in a loop: most of its time is in the kernel's page of code, not in Python."""

import time

from rounds import run_rounds


def read_clock():
    now = time.monotonic
    last = now()
    is_monotonic = True
    for _ in range(20_000):
        here = now()
        is_monotonic = is_monotonic and here >= last
        last = here
    return is_monotonic


run_rounds("clock", read_clock)
