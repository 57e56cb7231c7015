"""Delay histogram, and waiting over time as a strip of bars, ready to be painted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.contention.table import DelayHistogram
from stackglass_viewer.model.contention.wait_rate import WaitingSeries
from stackglass_viewer.model.units import drop_zeros, format_clock, format_count, format_value

_UNITS = (("h", 3.6e12), ("min", 6e10), ("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1))
_LEAST_CLASSES = 8  # a histogram with fewer columns would not look like one


@dataclass(frozen=True, slots=True)
class DelayBar:
    """One class of delays."""

    size: int  # log2 of the least delay in ns: the class is 2^size … 2^(size + 1)
    label: str  # 2^size ns in words: ``1 ms``
    count: int
    value: str  # the count in words
    share: float  # of the largest count, 0 … 1
    about: str  # ``1.02 ms … 2.05 ms: 17``


@dataclass(frozen=True, slots=True)
class DelayBars:
    """A histogram of delays. Immutable."""

    title: str
    bars: tuple[DelayBar, ...]
    about: str  # why there are no bars


@dataclass(frozen=True, slots=True)
class StripBar:
    """A second of a session, and the time waited in it."""

    value: float  # seconds waited in this second, by all threads
    about: str


@dataclass(frozen=True, slots=True)
class Strip:
    """Waiting per second. Immutable."""

    bars: tuple[StripBar, ...]  # oldest first
    n_places: int  # bars that the strip has room for
    top: float  # the value of a bar of full height
    top_text: str
    about: str  # the time that the strip shows: ``last 5 min``
    scale_about: str = "Seconds waited in each second; 2 s/s means two threads waiting all the time"


def describe_delays(title: str, delays: DelayHistogram | None, is_file: bool) -> DelayBars:
    """Return the histogram. ``delays`` None: only totals are known."""
    if delays is None:
        what = "Files" if is_file else "Single threads"
        return DelayBars(title, (), f"{what} have only totals, not individual delays.")
    counts = delays.counts.tolist()
    if not counts:
        return DelayBars(title, (), "")
    first = delays.first_class
    missing = max(_LEAST_CLASSES - len(counts), 0)
    before = min(missing // 2, first)
    counts = [0] * before + counts + [0] * (missing - before)
    first -= before
    most = max(counts)
    bars = tuple(
        DelayBar(
            size=first + number,
            label=_label(first + number),
            count=count,
            value=format_count(count),
            share=count / most,
            about=f"{_say(first + number)} … {_say(first + number + 1)}: {format_count(count)}",
        )
        for number, count in enumerate(counts)
    )
    return DelayBars(title, bars, "")


def _label(size: int) -> str:
    """Return 2^size ns, with two digits below 100: ``1 ms``, ``34 ms``, ``134 ms``."""
    unit, per = next(((unit, per) for unit, per in _UNITS if 2**size >= per), _UNITS[-1])
    value = 2**size / per
    return f"{value:.2g} {unit}" if value < 100 else f"{value:.0f} {unit}"


def _say(size: int) -> str:
    return format_value(float(2**size), "nanoseconds")


def describe_strip(waiting: WaitingSeries, n_places: int) -> Strip:
    """Return the strip of the last ``n_places`` seconds."""
    values = waiting.values[-n_places:]
    begin_s = waiting.end_s - len(values)
    most = float(values.max(initial=0.0))
    top = _round_up(most)
    bars = tuple(
        StripBar(
            value,
            f"{format_clock(begin_s + index)}: {format_value(value, 'seconds')} waited"
            if value
            else f"{format_clock(begin_s + index)}: no waits",
        )
        for index, value in enumerate(values.tolist())
    )
    about = f"last {n_places // 60} min" if n_places >= 60 else f"last {n_places} s"
    return Strip(bars, n_places, top, f"{drop_zeros(format_value(top, 'seconds'))}/s", about)


def _round_up(value: float) -> float:
    """Return the next 1, 2 or 5 × 10^n; 1 for 0."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    steps = (power, 2 * power, 5 * power, 10 * power)
    return float(next(step for step in steps if step >= value * 0.999))
