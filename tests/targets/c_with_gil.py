"""The main thread is in a C function that keeps the GIL for seconds: a regex that backtracks."""

import re

from rounds import run_rounds

PATTERN = re.compile(r"(a+)+$")


def match_badly():
    # One character more doubles the time; 25 are some seconds.
    return PATTERN.match("a" * 25 + "b")


run_rounds("c with the GIL", match_badly)
