"""Ticks of a trace's axes: few, at round values of the time since the trace began, or of bytes."""

from __future__ import annotations

import math
from typing import NamedTuple

from stackglass_viewer.model.units import drop_zeros, format_clock, format_count, format_value

_CLOCK_NS = 60_000_000_000  # ticks of longer spans are in minutes and seconds
_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400)


class Tick(NamedTuple):
    """A value with its text."""

    value: int
    text: str


def place_time_ticks(begin_ns: int, end_ns: int, zero_ns: int, most: int) -> tuple[Tick, ...]:
    """Return ticks between two times, about ``most``, at round times counted from ``zero_ns``."""
    span = end_ns - begin_ns
    if span <= 0 or most < 1:
        return ()
    step = _round_time(span / most)
    first = -(-(begin_ns - zero_ns) // step) * step
    is_clock = span >= _CLOCK_NS
    return tuple(
        Tick(at + zero_ns, format_clock(at / 1e9) if is_clock else _say_time(at, step))
        for at in range(first, end_ns - zero_ns + 1, step)
    )


def place_byte_ticks(top: int, most: int) -> tuple[Tick, ...]:
    """Return at most ``most`` ticks above 0 up to ``top``: multiples of a power of two."""
    if top <= 0 or most < 1:
        return ()
    step = 1
    while top / step > most:
        step *= 2
    return tuple(
        Tick(at, drop_zeros(format_value(at, "bytes"))) for at in range(step, top + 1, step)
    )


def place_count_ticks(top: int, most: int) -> tuple[Tick, ...]:
    """Return at most ``most`` ticks above 0 up to ``top``: multiples of 1, 2 or 5 × 10^n."""
    if top <= 0 or most < 1:
        return ()
    power: int = 10 ** max(math.floor(math.log10(max(top / most, 1))), 0)
    step = next(each * power for each in (1, 2, 5, 10) if each * power * most >= top)
    return tuple(Tick(at, format_count(at)) for at in range(step, top + 1, step))


def _round_time(ns: float) -> int:
    """Return a round step of at least ``ns``: 1, 2 or 5 × 10^n, or a round number of minutes or
    hours."""
    if ns > 1e9:
        return next((s for s in _SECONDS if s * 1e9 >= ns), _SECONDS[-1]) * 1_000_000_000
    power: int = 10 ** math.floor(math.log10(max(ns, 1)))
    return next(each * power for each in (1, 2, 5, 10) if each * power >= ns)


def _say_time(at: int, step: int) -> str:
    """Return a time with as many decimals as the step needs: ``2.35 ms``."""
    unit, per = next(
        pair
        for pair in (("s", 10**9), ("ms", 10**6), ("µs", 10**3), ("ns", 1))
        if abs(at) >= pair[1] or pair[1] == 1 or (at == 0 and step >= pair[1])
    )
    digits = max(-math.floor(math.log10(step / per) + 1e-9), 0)
    return f"{at / per:.{digits}f} {unit}"
