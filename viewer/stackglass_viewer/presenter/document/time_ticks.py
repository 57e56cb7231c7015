"""Ticks of a time axis: few, at round moments, with as many decimals as their distance needs."""

from __future__ import annotations

import math
from typing import NamedTuple

_LEAST_PX = 90  # between two ticks
_S = 1_000_000_000
_MINUTE_NS = 60 * _S
_LONG_S = (10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
_UNITS = ((_S, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))


class TimeTick(NamedTuple):
    """A marked moment and its text."""

    at_ns: int
    text: str


def list_ticks(begin_ns: int, end_ns: int, width_px: float) -> list[TimeTick]:
    """Return the ticks of a span that is ``width_px`` wide."""
    if width_px <= 0 or end_ns <= begin_ns:
        return []
    step = _round_up((end_ns - begin_ns) / max(width_px / _LEAST_PX, 1.0))
    first = -(-begin_ns // step) * step
    return [TimeTick(at, write_moment(at, step, end_ns)) for at in range(first, end_ns + 1, step)]


def write_moment(at_ns: int, step_ns: int, end_ns: int) -> str:
    """Return a moment as text: ``0.25 s``, ``250 ms``, ``2:05.3``.

    ``step_ns`` is the distance that two texts have to distinguish. ``end_ns`` is the latest moment
    that is written in the same way: it chooses the unit.
    """
    if end_ns >= _MINUTE_NS:
        n_digits = _count_digits(step_ns, _S)
        minutes, rest_ns = divmod(at_ns, _MINUTE_NS)
        hours, minutes = divmod(minutes, 60)
        width = 2 if n_digits == 0 else 3 + n_digits
        seconds = f"{rest_ns / _S:0{width}.{n_digits}f}"
        return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"
    size, name = next((unit for unit in _UNITS if end_ns >= unit[0]), _UNITS[-1])
    return f"{at_ns / size:.{_count_digits(step_ns, size)}f} {name}"


def _count_digits(step_ns: int, size: int) -> int:
    """Return how many decimals distinguish two moments a step apart, in units of ``size`` ns."""
    digits = 0
    while step_ns % size and digits < 9:
        step_ns *= 10
        digits += 1
    return digits


def _round_up(step_ns: float) -> int:
    if step_ns > _LONG_S[0] * _S / 2:
        longer = (each * _S for each in _LONG_S if each * _S >= step_ns)
        return next(longer, math.ceil(step_ns / _LONG_S[-1] / _S) * _LONG_S[-1] * _S)
    power = int(10 ** max(math.floor(math.log10(max(step_ns, 1.0))), 0))
    return next(each * power for each in (1, 2, 5, 10) if each * power >= step_ns)
