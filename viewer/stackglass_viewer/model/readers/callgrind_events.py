"""Parser of the events of a callgrind file, in its line ``events: Ir Time_(10ns)``."""

from __future__ import annotations

import re
from typing import NamedTuple

from stackglass_viewer.model.profile.profile import SampleType

_MOST_EVENTS = 32
_MEASURED = re.compile(r"(.*?)_?\((\d{0,9})([a-zµ]+)\)")
_NS_A_UNIT = {
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
_BYTES_A_UNIT = {"b": 1, "bytes": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}


class Event(NamedTuple):
    """An event: the type of a column of costs, and the factor from the costs to the type's unit."""

    type: SampleType
    factor: int


def parse_events(text: str) -> list[Event]:
    """Parse the names of the events. Raises ValueError."""
    names = text.split()
    if not names:
        raise ValueError("names no events")
    if len(names) > _MOST_EVENTS:
        raise ValueError(f"names more than {_MOST_EVENTS} events")
    return [_parse_event(name) for name in names]


def _parse_event(name: str) -> Event:
    """Parse a name with a unit: xdebug writes ``Time_(10ns)``, pprof ``cpu(ms)``, pyprof2calltree
    ``ns``. Events without a unit are counts."""
    found = _MEASURED.fullmatch(name)
    title, number, unit = found.groups() if found else ("", "", name)
    factor = int(number or 1)
    if unit in _NS_A_UNIT:
        return Event(SampleType(title or "time", "nanoseconds"), factor * _NS_A_UNIT[unit])
    if found and unit.lower() in _BYTES_A_UNIT:
        return Event(SampleType(title or "space", "bytes"), factor * _BYTES_A_UNIT[unit.lower()])
    if found and unit == "count":
        return Event(SampleType(title or name, "count"), factor)
    return Event(SampleType(name, "count"), 1)
