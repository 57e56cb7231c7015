"""Text for a terminal: durations, and names without control characters."""

from __future__ import annotations

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def format_duration(duration_ns: int) -> str:
    """The two largest units: 21 ms, 3.2 s, 4 min 10 s, 3 h 12 min, 5 d 3 h."""
    if duration_ns < 10**9:
        return f"{duration_ns / 1e6:.0f} ms"
    seconds = duration_ns // 10**9
    if seconds < 60:
        return f"{duration_ns / 1e9:.1f} s"
    at = next(at for at, (size, _) in enumerate(_UNITS) if seconds >= size)
    (size, unit), (size_below, unit_below) = _UNITS[at : at + 2]
    rest = seconds % size // size_below
    return f"{seconds // size} {unit}" + (f" {rest} {unit_below}" if rest else "")


def clean(text: str) -> str:
    """The program's text without control characters, which a terminal would interpret."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)
