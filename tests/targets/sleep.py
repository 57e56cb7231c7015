"""The main thread sleeps. A sleep that ends early would be a wrong result."""

import time

from rounds import run_rounds

PERIOD_S = 0.5


def doze():
    before = time.monotonic()
    time.sleep(PERIOD_S)
    return time.monotonic() - before >= PERIOD_S


run_rounds("sleep", doze)
