"""Block profiles: tables for each of several code blocks, such as tests or notebook cells.

::

    open ─▶ begin ─▶ (the block) ─▶ end ─▶ begin … ─▶ close

Between ``open`` and ``close`` the rates stay on. A block's tables are the difference of two
snapshots; those of ``cpu`` and ``wall`` are recordings of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from stackglass.api import program
from stackglass.api.profile import lookup
from stackglass.errors import ProfileError, UsageError
from stackglass.named_tuple import NamedTuple
from stackglass.wire.delta import subtract
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.rates import DEFAULT

CPU, WALL = "cpu", "wall"
HEAP = ("heap", "allocs")


class _Rate(NamedTuple):
    """A rate of the program that a profile needs."""

    name: str
    value: int


_HEAP_RATE = _Rate("heap", DEFAULT.heap_rate)
_RATES = {
    "heap": _HEAP_RATE,
    "allocs": _HEAP_RATE,
    "block": _Rate("block", DEFAULT.block_rate_ns),
    "mutex": _Rate("mutex", DEFAULT.mutex_fraction),
    "gil": _Rate("gil", DEFAULT.gil_hz),
}
PROFILES = (CPU, WALL, *_RATES)


class _Nowhere:
    """A file that discards what is written."""

    def write(self, content: bytes, /) -> int:
        return len(content)


def read_names(text: str, option: str) -> tuple[str, ...]:
    """Split a text such as ``cpu,heap``; the default is cpu. Raises UsageError with the option."""
    names = tuple(dict.fromkeys(filter(None, text.split(","))))
    for name in names:
        if name not in PROFILES:
            raise UsageError(
                f"{option}: there is no profile {name!r}", f"one of {', '.join(PROFILES)}"
            )
    if CPU in names and WALL in names:
        raise UsageError(f"{option}: cpu and wall exclude each other", "choose one")
    return names or (CPU,)


class Block(NamedTuple):
    """The profiles of one block."""

    tables: dict[str, ProfileTables]  # by name
    problem: str = ""  # why some tables are missing


class BlockProfiles:
    """Records one block at a time. Only one thread may use it."""

    __slots__ = (
        "_before",
        "_n_withdrawals",
        "_names",
        "_numbers",
        "_rates",
        "_sampled",
        "_temporary",
    )

    def __init__(self, names: Sequence[str]) -> None:
        """``names`` are some of PROFILES, but not both cpu and wall."""
        self._names = names
        self._rates, self._temporary = program.find_rates(), program.find_temporary_rates()
        self._numbers: dict[_Rate, int] | None = None  # see TemporaryRates.begin; None = closed
        self._before: dict[str, ProfileTables] = {}
        self._n_withdrawals = 0  # before the block; see ProgramRates
        self._sampled = ""  # cpu or wall, if it runs

    @property
    def is_open(self) -> bool:
        """Whether the rates are on."""
        return self._numbers is not None

    def open(self) -> None:
        """Turn the rates on. Raises EngineError."""
        self._numbers = {}
        for rate in dict.fromkeys(_RATES[name] for name in self._names if name in _RATES):
            self._numbers[rate] = self._temporary.begin(rate.name, rate.value)

    def begin(self) -> None:
        """Begin a block. Sets those rates again that the program has changed since ``open``.

        Raises EngineError, WireError.
        """
        self._before = {}
        # Before the first snapshot: another thread may withdraw the rates between two of them.
        self._n_withdrawals = self._rates.n_withdrawals
        for name in filter(_RATES.__contains__, self._names):
            rate = _RATES[name]
            if self._rates.read(rate.name) != rate.value:
                self._rates.set(rate.name, rate.value)
            self._before[name] = _build(name)
        for name in self._names:
            if name == CPU:
                program.find_cpu_profiler().start(_Nowhere())
            elif name == WALL:
                program.find_cpu_profiler().start_wall(_Nowhere(), DEFAULT.wall_hz)
            self._sampled = name if name in (CPU, WALL) else self._sampled

    def end(self) -> Block:
        """End the block and return its profiles. Raises EngineError, WireError."""
        found: dict[str, ProfileTables] = {}
        changed = []
        sampled, self._sampled = self._sampled, ""
        if sampled:
            tables = program.find_cpu_profiler().stop_and_build()
            if tables is None:
                changed.append(sampled)
            else:
                found[sampled] = tables
        before, self._before = self._before, {}
        is_withdrawn = self._rates.n_withdrawals != self._n_withdrawals
        for name, earlier in before.items():
            rate = _RATES[name]
            if is_withdrawn or self._rates.read(rate.name) != rate.value:
                changed.append(name)
            else:
                found[name] = subtract(_build(name), earlier)
        problem = f"the code has changed or ended the profile {', '.join(changed)} itself"
        return Block(found, problem if changed else "")

    def close(self) -> None:
        """Restore the rates, except those that the program has set since. Raises EngineError."""
        numbers, self._numbers = self._numbers, None
        for rate, number in (numbers or {}).items():
            self._temporary.end(rate.name, number)


def _build(name: str) -> ProfileTables:
    profile = lookup(name)
    if profile is None:
        raise ProfileError(f"there is no profile {name}")
    return profile.build()
