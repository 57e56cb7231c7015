"""The reasons for which a run may be left out. Every other refusal is a failure."""

from __future__ import annotations

import re
from typing import NamedTuple


class Expected(NamedTuple):
    """A refusal that is right."""

    run: str  # a pattern for the run's name
    reason: str  # a pattern for what was said
    why: str


EXPECTED = (
    Expected(
        r" test_\w+$",
        r"has ended|ended before|exited|is ending|torn down",
        "a file of tests that ends within a second or two",
    ),
)


def find_reason(run: str, reason: str) -> str:
    """Why this refusal is right; "" = it is not."""
    for expected in EXPECTED:
        if re.search(expected.run, run) and re.search(expected.reason, reason):
            return expected.why
    return ""
