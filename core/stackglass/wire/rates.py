"""Rates: how much of a process is recorded, as one value; the defaults, and the limits.

``Rates`` is the type of the message. An engine reports the rates in force with it, a client
requests rates with it, and a preset is a named value of it. Each rate is 0 if its profile is off.
"""

from __future__ import annotations

from stackglass.wire.messages import Rates

OFF = Rates()

DEFAULT = Rates(
    cpu_hz=100,
    heap_rate=512 * 1024,
    block_rate_ns=10_000,
    mutex_fraction=10,
    gil_hz=100,
    stall_ns=100_000_000,
    wall_hz=100,
)
"""The rate of each profile that is turned on without a choice of its rate."""

MOST = Rates(
    cpu_hz=10_000,
    heap_rate=1 << 40,
    block_rate_ns=10**15,
    mutex_fraction=10**9,
    gil_hz=1000,
    has_other=1,
    stall_ns=60_000_000_000,
    wall_hz=1000,
    native_stacks=1,
)
"""The largest value of each rate."""

LEAST = Rates(
    cpu_hz=1,
    heap_rate=1,
    block_rate_ns=1,
    mutex_fraction=1,
    gil_hz=1,
    stall_ns=10_000_000,
    wall_hz=1,
)
"""The smallest value of each rate other than off. ``has_other`` and ``native_stacks`` are switches
and have none."""


def keep_contention(rates: Rates) -> Rates:
    """Return ``rates`` with only those of locks, the GIL, stalls and other waits on."""
    return rates._replace(cpu_hz=0, heap_rate=0, wall_hz=0, native_stacks=0)


def replace_contention(rates: Rates, wanted: Rates) -> Rates:
    """Return ``wanted`` with the rates of CPU, heap, wall clock and C frames as in ``rates``."""
    return wanted._replace(
        cpu_hz=rates.cpu_hz,
        heap_rate=rates.heap_rate,
        wall_hz=rates.wall_hz,
        native_stacks=rates.native_stacks,
    )


__all__ = ["DEFAULT", "LEAST", "MOST", "OFF", "Rates", "keep_contention", "replace_contention"]
