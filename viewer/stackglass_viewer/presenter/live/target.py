"""Target of a capture: a process, and what to record of it."""

from __future__ import annotations

from dataclasses import dataclass

from stackglass.wire.rates import Rates


@dataclass(frozen=True, slots=True)
class Target:
    """A process to attach to, and what to record of it from the beginning."""

    pid: int
    rates: Rates
    has_native: bool = True  # whether heap samples include allocations of C libraries
    variables: tuple[str, ...] = ()  # context variables to record as labels, "module:VAR"
