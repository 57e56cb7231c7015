"""Names of functions without their arguments, as pprof compares them with patterns of frames."""

from __future__ import annotations

import re

# A "(" begins the arguments of a C++ name, except in the first two alternatives.
_BRACKET = re.compile(r"\(anonymous namespace\)|operator\(\)|\(")


def simplify(name: str) -> str:
    """Return a name without C++ arguments, and without the leading dot of PowerPC's ELFv1 ABI."""
    name = name.removeprefix(".")
    for found in _BRACKET.finditer(name):
        if found.group() == "(":
            return name[: found.start()]
    return name
