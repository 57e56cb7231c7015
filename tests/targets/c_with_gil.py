"""The main thread is in a C function that keeps the GIL for long: a regex that backtracks."""

import re

from rounds import run_rounds

PATTERN = re.compile(r"(a+)+$")


def match_badly():
    # One character more doubles the time; 23 are a quarter of a second and more.
    return PATTERN.match("a" * 23 + "b")


run_rounds("c with the GIL", match_badly)
