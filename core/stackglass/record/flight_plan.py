"""Flight plan: how much a flight recorder keeps, and what makes it write."""

from __future__ import annotations

import re

from stackglass.errors import UsageError
from stackglass.named_tuple import NamedTuple
from stackglass.wire.rates import LEAST, MOST

EXIT, SIGNAL, RSS, STALL, WAIT = "exit", "signal", "rss", "stall", "wait"
KILLED, DEADLOCK = "killed", "deadlock"
_WITHOUT_LIMIT = (EXIT, KILLED, SIGNAL, DEADLOCK)
DEFAULT_BYTES = 64 << 20
_LEAST_BYTES = 1 << 20
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")
_SECONDS_NS = {"": 1e9, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9}
_BYTES = {
    **{"": 1, "B": 1},
    **{unit: 1 << 10 * (i + 1) for i, unit in enumerate(("KiB", "MiB", "GiB", "TiB"))},
    **{unit: 1000 ** (i + 1) for i, unit in enumerate(("kB", "MB", "GB", "TB"))},
}
_LIMITS = {STALL: (LEAST.stall_ns, MOST.stall_ns), WAIT: (1_000_000, MOST.block_rate_ns)}


class Trigger(NamedTuple):
    """A condition on which the recorder writes its window."""

    name: str  # EXIT …
    limit: int = 0  # RSS: bytes; STALL, WAIT: ns


class Window(NamedTuple):
    """How much the recorder keeps, and when it writes that."""

    span_ns: int
    most_bytes: int = DEFAULT_BYTES
    triggers: tuple[Trigger, ...] = (Trigger(EXIT), Trigger(SIGNAL))

    def find(self, name: str) -> Trigger | None:
        """The trigger of this name; None = there is none."""
        return next((trigger for trigger in self.triggers if trigger.name == name), None)


def read_span_ns(text: str) -> int:
    """Nanoseconds from ``30s``, ``500ms``, ``2m``, or seconds. Raises ValueError."""
    return _read(text, _SECONDS_NS)


def read_bytes(text: str) -> int:
    """Bytes from ``64MiB``, ``2GB``, or a plain number. Raises ValueError."""
    return _read(text, _BYTES)


def read_window_bytes(text: str) -> int:
    """The size of a window, at least 1 MiB. Raises ValueError."""
    if read_bytes(text) < _LEAST_BYTES:
        raise ValueError
    return read_bytes(text)


def read_trigger(text: str) -> Trigger:
    """A trigger from ``exit``, ``killed``, ``signal``, ``deadlock``, ``rss>2GiB``, ``stall>500ms``
    or ``wait>1s``. Raises ValueError."""
    name, sign, limit = text.partition(">")
    name = name.strip()
    if name in _WITHOUT_LIMIT and not sign:
        return Trigger(name)
    if name == RSS:
        return Trigger(name, read_bytes(limit))
    least_ns, most_ns = _LIMITS.get(name, (1, 0))  # nothing is between 1 and 0
    if not least_ns <= read_span_ns(limit) <= most_ns:
        raise ValueError
    return Trigger(name, read_span_ns(limit))


# For argparse's message about an invalid text: "invalid … value".
read_span_ns.__name__ = "duration (30s, 500ms, 2m)"
read_window_bytes.__name__ = "size of at least 1 MiB (64MiB)"
read_trigger.__name__ = (
    "trigger (exit, killed, signal, deadlock, rss>SIZE,"
    f" wait>DURATION of {_LIMITS[WAIT][0] // 1_000_000} ms or more,"
    f" stall>DURATION of {_LIMITS[STALL][0] // 1_000_000} ms to {_LIMITS[STALL][1] // 10**9} s)"
)


def make_window(
    span_ns: int | None, most_bytes: int | None, triggers: list[Trigger] | None
) -> Window | None:
    """The window of these options; None = there is none. Raises UsageError."""
    if span_ns is None:
        for option, value in (("--window-size", most_bytes), ("--trigger", triggers)):
            if value:
                raise UsageError(f"{option} is for --window", "add --window 30s")
        return None
    window = Window(span_ns, most_bytes or DEFAULT_BYTES)
    return window._replace(triggers=tuple(triggers)) if triggers else window


def _read(text: str, units: dict[str, float] | dict[str, int]) -> int:
    found = _NUMBER.fullmatch(text.strip())
    if found is None or found[2] not in units or not float(found[1]):
        raise ValueError
    return int(float(found[1]) * units[found[2]])
