"""Parser of the events of a callgrind file, in its line ``events: Ir Time_(10ns)``.

A line ``event: cpu_nanoseconds : cpu (nanoseconds)`` above it may give an event its full name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from stackglass_viewer.model.profile.profile import SampleType

_MOST_EVENTS = 32
_MEASURED = re.compile(r"(.*?)[_ ]?\((\d{0,9})([a-zµ]+)\)")
_NS_PER_UNIT = {
    "ns": 1,
    "nanoseconds": 1,
    "us": 1_000,
    "µs": 1_000,
    "microseconds": 1_000,
    "ms": 1_000_000,
    "milliseconds": 1_000_000,
    "s": 1_000_000_000,
    "sec": 1_000_000_000,
    "seconds": 1_000_000_000,
}
_BYTES_PER_UNIT = {"b": 1, "bytes": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}


class Event(NamedTuple):
    """An event: the type of a column of costs, and the factor from the costs to the type's unit."""

    type: SampleType
    factor: int


def parse_events(text: str, full_names: Mapping[str, str]) -> list[Event]:
    """Parse the names of the events. Raises ValueError."""
    names = text.split()
    if not names:
        raise ValueError("names no events")
    if len(names) > _MOST_EVENTS:
        raise ValueError(f"names more than {_MOST_EVENTS} events")
    return [
        _parse_measured(full_names.get(name, "")) or _parse_measured(name) or _parse_bare(name)
        for name in names
    ]


def _parse_measured(name: str) -> Event | None:
    """Parse a name with a unit: xdebug writes ``Time_(10ns)``, pprof ``cpu(ms)``. Returns None if
    the name has no known unit."""
    found = _MEASURED.fullmatch(name)
    if found is None:
        return None
    title, number, unit = found.groups()
    factor = int(number or 1)
    if unit in _NS_PER_UNIT:
        return Event(SampleType(title or "time", "nanoseconds"), factor * _NS_PER_UNIT[unit])
    if unit.lower() in _BYTES_PER_UNIT:
        return Event(SampleType(title or "space", "bytes"), factor * _BYTES_PER_UNIT[unit.lower()])
    return Event(SampleType(title or name, "count"), factor) if unit == "count" else None


def _parse_bare(name: str) -> Event:
    """Parse a name that may be a unit of time, as pyprof2calltree's ``ns``; others are counts."""
    if name in _NS_PER_UNIT:
        return Event(SampleType("time", "nanoseconds"), _NS_PER_UNIT[name])
    return Event(SampleType(name, "count"), 1)
