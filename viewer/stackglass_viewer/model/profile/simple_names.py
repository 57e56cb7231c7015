"""Names of functions without their arguments, as pprof compares them with patterns of frames."""

from __future__ import annotations

import re

# "(": where the arguments of an unsimplified C++ name begin, unless it is one of these.
_BRACKET = re.compile(r"\(anonymous namespace\)|operator\(\)|\(")


def simplify(name: str) -> str:
    """A name without the arguments of C++ and the dot that old PowerPC puts in front."""
    name = name.removeprefix(".")
    for found in _BRACKET.finditer(name):
        if found.group() == "(":
            return name[: found.start()]
    return name
