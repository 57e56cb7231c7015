"""Refusals and differences that are expected. All others are failures."""

from __future__ import annotations

import re
from typing import NamedTuple


class Expected(NamedTuple):
    """An expected refusal."""

    run: str  # a pattern for the run's name
    reason: str  # a pattern for the message
    why: str


EXPECTED = (
    Expected(
        r" test_\w+$",
        r"has ended|ended before|exited|is ending|torn down|there is no process",
        "a file of tests that ends within a second or two",
    ),
    Expected(
        r"limited\.py address-space memory$",
        r"no memory for the memory trace's tables",
        "a memory trace takes some 120 MB of address space, and the program may map 64 more",
    ),
)


def find_reason(run: str, reason: str) -> str:
    """Return why this refusal is expected; "" = it is not."""
    for expected in EXPECTED:
        if re.search(expected.run, run) and re.search(expected.reason, reason):
            return expected.why
    return ""


class Difference(NamedTuple):
    """A test that is expected to fail with Stackglass."""

    python: str  # a pattern for the label
    error: str  # a pattern for the last line of its traceback
    why: str


DIFFERENCES = (
    Difference(
        r"3\.(9|10|11)\.",
        r"RuntimeError: interpreter has more than one thread$",
        "the engine has a thread state, and before 3.12 is_running() wants no other than one",
    ),
    Difference(  # test_getallocatedblocks; no other file compares with a range
        r"3\.",
        r"AssertionError: \d+ not found in range\(\d+, \d+\)$",
        "blocks of the engine's own objects come and go as profiles begin, and it accepts 50",
    ),
)


def find_difference(python: str, error: str) -> str:
    """Return why this failure is expected; "" = it is not."""
    for difference in DIFFERENCES:
        if re.match(difference.python, python) and re.match(difference.error, error):
            return difference.why
    return ""
