"""Target: the process of a capture."""

from __future__ import annotations

from dataclasses import dataclass

from stackglass.wire.rates import Rates


@dataclass(frozen=True, slots=True)
class Target:
    """A process to attach to, and what to record of it from the beginning."""

    pid: int
    rates: Rates
    has_native: bool = True  # the heap with what libraries allocate past Python's allocators
    variables: tuple[str, ...] = ()  # context variables that are labels, "module:VAR"
