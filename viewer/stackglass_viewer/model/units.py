"""Texts for the user: short values for boxes and cells, printable names, and sentences."""

from __future__ import annotations

import math
from typing import NamedTuple
from unicodedata import category

_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control, format, surrogate, line and paragraph separator


class _Step(NamedTuple):
    size: float
    suffix: str


_NAME_MARKS = "._:/\\"  # a word with one of these is a name, unless it ends a sentence or part
_STOPS = ".:,;"
_TIME_NS = (
    _Step(86_400e9, "d"),
    _Step(3_600e9, "h"),
    _Step(60e9, "min"),
    _Step(1e9, "s"),
    _Step(1e6, "ms"),
    _Step(1e3, "µs"),
    _Step(1.0, "ns"),
)
_BYTES = (
    _Step(2.0**50, "PiB"),
    _Step(2.0**40, "TiB"),
    _Step(2.0**30, "GiB"),
    _Step(2.0**20, "MiB"),
    _Step(2.0**10, "KiB"),
    _Step(1.0, "B"),
)
_NS_PER = {
    "nanoseconds": 1.0,
    "nanosecond": 1.0,
    "ns": 1.0,
    "microseconds": 1e3,
    "microsecond": 1e3,
    "us": 1e3,
    "milliseconds": 1e6,
    "millisecond": 1e6,
    "ms": 1e6,
    "seconds": 1e9,
    "second": 1e9,
    "s": 1e9,
}
_BYTES_PER = {
    "bytes": 1.0,
    "byte": 1.0,
    "b": 1.0,
    "kilobytes": 2.0**10,
    "kb": 2.0**10,
    "megabytes": 2.0**20,
    "mb": 2.0**20,
}


def make_printable(text: str) -> str:
    """Return a name that is safe to show: characters that would break the line, reverse the text or
    join letters become ``\ufffd``."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if category(letter) in _UNSAFE else letter for letter in text)


def make_sentence(text: str) -> str:
    """Return a message with a full stop, and a capital letter unless it begins with a name, as of a
    file or a host."""
    first = text.partition(" ")[0].rstrip(_STOPS)
    is_name = any(mark in first for mark in _NAME_MARKS)
    return (text if is_name else text[:1].upper() + text[1:]) + ("" if text.endswith(".") else ".")


def format_value(value: float, unit: str) -> str:
    """Return a value as text in the largest unit in which it is at least 1, with three digits.

    ``unit``: as pprof spells it. An unknown unit is put behind the number as it is; ``count`` and
    "" are not shown.
    """
    name = unit.lower()
    if name in _NS_PER:
        return _scale(value * _NS_PER[name], _TIME_NS)
    if name in _BYTES_PER:
        return _scale(value * _BYTES_PER[name], _BYTES)
    number = format_count(value)
    return number if name in ("", "count") else f"{number} {unit}"


def drop_zeros(text: str) -> str:
    """Return a value of ``format_value`` without trailing zeros: ``5 s`` for ``5.00 s``."""
    number, _, unit = text.partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def find_scale(unit: str) -> tuple[str, float]:
    """Return ``time`` and the length of the unit in ns, or ``bytes`` and its size in bytes; "" and
    1 for any other unit."""
    name = unit.lower()
    if name in _NS_PER:
        return "time", _NS_PER[name]
    return ("bytes", _BYTES_PER[name]) if name in _BYTES_PER else ("", 1.0)


def format_change(value: float, unit: str) -> str:
    """Return a difference as text with its sign: ``+12.3 MiB``."""
    text = format_value(abs(value), unit)
    return f"+{text}" if value > 0 else f"−{text}" if value < 0 else text


def format_clock(seconds: float, decimals: int = 0) -> str:
    """Return a length of time as text: ``1:05``, ``1:05.3`` if it has tenths, ``2:01:05``.

    ``decimals``: how many there are in any case, instead of the tenths.
    """
    scale = 10 ** (decimals or 1)
    steps = round(seconds * scale)
    sign, steps = ("-", -steps) if steps < 0 else ("", steps)
    minutes, rest = divmod(steps, 60 * scale)
    hours, minutes = divmod(minutes, 60)
    whole, part = divmod(rest, scale)
    text = f"{whole:02}" + (f".{part:0{decimals}}" if decimals or part else "")
    return f"{sign}{hours}:{minutes:02}:{text}" if hours else f"{sign}{minutes}:{text}"


def count_decimals(length_ns: int) -> int:
    """Return how many decimals of seconds distinguish moments ``length_ns`` from each other."""
    return max(9 - math.floor(math.log10(max(length_ns, 1))), 0)


def format_count(value: float) -> str:
    """Return a number in full, with thin spaces between thousands, where no line breaks:
    ``1 234 567``."""
    if float(value).is_integer():
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:,.2f}".replace(",", "\u202f")


def format_quantity(n: int, what: str, plural: str = "") -> str:
    """Return a number of things. ``plural``: of ``what``; "" = it ends in s.

    >>> format_quantity(1, "object"), format_quantity(12, "object")
    ('1 object', '12 objects')
    """
    return f"{format_count(n)} {what if n == 1 else plural or f'{what}s'}"


def format_share(share: float) -> str:
    """Return a share of 1 as a percentage with at most three digits: ``12.3%``. It is never rounded
    to 0 or 100.

    >>> format_share(0.99999), format_share(0.00001)
    ('>99.9%', '<0.01%')
    """
    percent = abs(share) * 100
    sign = "-" if share < 0 else ""
    if percent == 0:
        return "0%"
    if percent < 0.01:
        return f"{sign}<0.01%"
    if percent < 1:
        return f"{sign}{percent:.2f}%"
    if 99.95 <= percent < 100:
        return f"{sign}>99.9%"
    if percent < 99.95:
        return f"{sign}{percent:.1f}%"
    return f"{sign}{percent:.0f}%"


def _scale(value: float, steps: tuple[_Step, ...]) -> str:
    magnitude = abs(value)
    if magnitude == 0:
        return f"0 {steps[-1].suffix}"
    # 999.6 is shown as 1.00 of the next unit, so the unit is chosen after rounding.
    at = 0
    while at < len(steps) - 1 and magnitude < steps[at].size * 0.9995:
        at += 1
    size, suffix = steps[at]
    number = value / size
    if at == len(steps) - 1 and float(value).is_integer():
        return f"{int(value)} {suffix}"
    digits = 2 if abs(number) < 9.995 else 1 if abs(number) < 99.95 else 0
    return f"{number:.{digits}f} {suffix}"
