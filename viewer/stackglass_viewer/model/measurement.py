"""Conversion of measurements to other units, with pprof's names, aliases and factors."""

from __future__ import annotations

from typing import NamedTuple

_KEPT_BARE = ("count", "sample", "unit", "minimum", "auto")  # units that get no name
_AUTOMATIC = ("minimum", "auto")


class _Unit(NamedTuple):
    name: str
    aliases: tuple[str, ...]  # lower case, without the s of a plural
    factor: float


class _Kind(NamedTuple):
    units: tuple[_Unit, ...]
    default: _Unit


_BYTES = tuple(
    _Unit(f"{letter.upper() if letter != 'k' else letter}B", aliases, 2.0**power)
    for letter, power, aliases in (
        ("", 0, ("b", "byte")),
        ("k", 10, ("kb", "kbyte", "kilobyte")),
        ("m", 20, ("mb", "mbyte", "megabyte")),
        ("g", 30, ("gb", "gbyte", "gigabyte")),
        ("t", 40, ("tb", "tbyte", "terabyte")),
        ("p", 50, ("pb", "pbyte", "petabyte")),
    )
)
_TIMES = (
    _Unit("ns", ("ns", "nanosecond"), 1.0),
    _Unit("us", ("μs", "us", "microsecond"), 1e3),
    _Unit("ms", ("ms", "millisecond"), 1e6),
    _Unit("s", ("s", "sec", "second"), 1e9),
    _Unit("hrs", ("hour", "hr"), 3600e9),
)
_GCUS = tuple(
    _Unit(f"{letter}*GCU" if letter else "GCU", (f"{prefix}gcu",), float(f"1e{power}"))
    for letter, prefix, power in (
        ("n", "nano", -9),
        ("u", "micro", -6),
        ("m", "milli", -3),
        ("", "", 0),
        ("k", "kilo", 3),
        ("M", "mega", 6),
        ("G", "giga", 9),
        ("T", "tera", 12),
        ("P", "peta", 15),
    )
)
_KINDS = (_Kind(_BYTES, _BYTES[0]), _Kind(_TIMES, _TIMES[3]), _Kind(_GCUS, _GCUS[3]))


def scale(value: int, from_unit: str, to_unit: str) -> tuple[float, str]:
    """Return a value in another unit of its kind, and that unit's name.

    ``minimum`` and ``auto`` choose the largest unit in which the value is at least 1. If
    ``to_unit`` is unknown or of another kind, times become seconds, and sizes bytes. If
    ``from_unit`` is unknown, the value stays as it is and gets the name ``to_unit``.

    >>> scale(4096, "bytes", "kb"), scale(90, "ms", "s")
    ((4.0, 'kB'), (0.09, 's'))
    """
    if value < 0:
        scaled, name = scale(-value, from_unit, to_unit)
        return -scaled, name
    for kind in _KINDS:
        unit = _find(kind, from_unit)
        if unit is not None:
            return _convert(value * unit.factor, kind, to_unit)
    return float(value), "" if to_unit in _KEPT_BARE else to_unit


def _convert(value: float, kind: _Kind, to_unit: str) -> tuple[float, str]:
    if to_unit in _AUTOMATIC:
        fitting = [unit for unit in kind.units if value / unit.factor >= 1]
        chosen = max(fitting, key=lambda unit: unit.factor, default=kind.default)
    else:
        chosen = _find(kind, to_unit) or kind.default
    return value / chosen.factor, chosen.name


def _find(kind: _Kind, name: str) -> _Unit | None:
    alias = name.lower()
    if len(alias) > 2:
        alias = alias.removesuffix("s")
    return next((unit for unit in kind.units if alias in unit.aliases), None)
