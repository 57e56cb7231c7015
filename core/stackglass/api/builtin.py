"""The profiles that the engine records, as members of the registry: heap, allocs, block, mutex,
gil, threads, threadcreate, threadleak, and cpu and wall.

``cpu`` and ``wall`` are what the profile that runs has so far, and empty if none does. Each other
one is read from a snapshot of the engine in this process, and has everything since its rate was
first set; threads and threadleak show the present moment and need no rate. If the program has set
no rate, a file of heap, allocs, block, mutex or gil without samples says which call sets one.
"""

from __future__ import annotations

import threading
from typing import Callable

from stackglass.api.profile import Profile
from stackglass.errors import ProfileError
from stackglass.native import _core
from stackglass.threads import profile_text
from stackglass.wire import count_text, recorded_profiles
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.recorded_profiles import DESCRIPTIONS
from stackglass.wire.recording import Recording

Take = Callable[[str], Recording]
"""Takes a snapshot for the profile of this name."""

RATE_OF = {
    "heap": "heap",
    "allocs": "heap",
    "block": "block",
    "mutex": "mutex",
    "gil": "gil",
    "threadcreate": "threadcreate",
}
"""By profile: the rate that records it."""
_SETTERS = {
    "allocs": "set_heap_profile_rate(524288)",
    "block": "set_block_profile_rate(10000)",
    "gil": "set_gil_profile_rate(100)",
    "heap": "set_heap_profile_rate(524288)",
    "mutex": "set_mutex_profile_fraction(1)",
}
_BEGINNERS = {
    "cpu": "stackglass.start_cpu_profile(file) begins one",
    "wall": "stackglass.wall_profile(file) records a block of code",
}


class Exempt:
    """Context manager that keeps a block's allocations out of the heap profile: those of a snapshot
    would be among the largest of a small program, and negative in the difference of two."""

    __slots__ = ("_is_begun",)

    def __enter__(self) -> None:
        self._is_begun = _core.begin_exempt()

    def __exit__(self, *_: object) -> None:
        if self._is_begun:
            _core.end_exempt()


def build_recorded(name: str, take: Take) -> tuple[ProfileTables, int]:
    """Take a snapshot and return the profile of this name as tables, and when the engine began
    that recorded it (CLOCK_MONOTONIC, ns; 0 = the profile shows the present moment)."""
    with Exempt():
        recording = take(name)
        return (
            recorded_profiles.build(name, recording),
            recorded_profiles.find_beginning(name, recording),
        )


class BuiltinProfile(Profile):
    """A profile whose content comes from the engine, not from ``add``."""

    __slots__ = ()

    def _find_number(self) -> int:
        """Return -1: the engine counts no added values for this profile."""
        return -1

    def add(self, value: object, skip: int = 0, *, weak: bool = False) -> None:
        """Raises ProfileError: the engine fills this profile."""
        raise ProfileError(f"nothing can be added to the built-in profile {self.name}")

    def remove(self, value: object) -> None:
        """Do nothing: the profile contains no added value."""


class RunningProfile(BuiltinProfile):
    """``cpu`` or ``wall``: what the profile that runs has so far."""

    __slots__ = ("_build_so_far",)

    def __init__(self, name: str, build_so_far: Callable[[], ProfileTables | None]) -> None:
        """``build_so_far`` returns None if no such profile runs."""
        super().__init__(name)
        self._build_so_far = build_so_far

    @property
    def description(self) -> str:
        return f"The {self.name} profile that runs, as far as it has come"

    def count(self) -> int:
        """Return the number of stacks so far; 0 = no such profile runs."""
        return recorded_profiles.count(self.name, self.build())

    def encode(self, debug: int) -> bytes:
        """Return the bytes that ``write_to`` writes."""
        tables = self.build()
        if not debug:
            return encode_file(tables)
        return (
            count_text.encode(tables) + "".join(f"# {each}\n" for each in tables.comments).encode()
        )

    def build(self) -> ProfileTables:
        """Return the profile so far as tables. If none runs, they are empty, and a comment says
        which call begins one."""
        tables = self._build_so_far()
        if tables is not None:
            return tables
        empty = Recording(0)
        return (empty.build() if self.name == "cpu" else empty.build_wall())._replace(
            comments=(f"no samples: no {self.name} profile runs, {_BEGINNERS[self.name]}",)
        )


class SnapshotProfile(BuiltinProfile):
    """A profile that is read from a snapshot of the engine."""

    __slots__ = ("_read_rate", "_take")

    def __init__(self, name: str, take: Take, read_rate: Callable[[str], int]) -> None:
        """``read_rate`` returns the rate of a name that the program has set; 0 = none."""
        super().__init__(name)
        self._take = take
        self._read_rate = read_rate

    @property
    def description(self) -> str:
        return DESCRIPTIONS[self.name]

    def count(self) -> int:
        """Take a snapshot and return its number of stacks, or of threads, tasks and greenlets."""
        return recorded_profiles.count(self.name, self.build())

    def encode(self, debug: int) -> bytes:
        """Return the bytes that ``write_to`` writes."""
        with Exempt():
            return self._encode(debug)

    def _encode(self, debug: int) -> bytes:
        if not debug:
            return encode_file(self.build())
        recording = self._take(self.name)
        text = profile_text.encode(self.name, recording, debug, threading.get_native_id())
        hint = self._find_hint(recorded_profiles.build(self.name, recording))
        return text + f"# {hint}\n".encode() if hint else text

    def build(self) -> ProfileTables:
        """Take a snapshot and return the profile as tables."""
        return self.build_of_engine()[0]

    def build_of_engine(self) -> tuple[ProfileTables, int]:
        """``build``, and when the engine began that recorded it; see ``build_recorded``."""
        tables, engine_began_ns = build_recorded(self.name, self._take)
        hint = self._find_hint(tables)
        tables = tables._replace(comments=(*tables.comments, hint)) if hint else tables
        return tables, engine_began_ns

    def _find_hint(self, tables: ProfileTables) -> str:
        """Return which call sets the missing rate; "" = there are samples, or a rate is set."""
        setter = _SETTERS.get(self.name)
        if setter is None or self._read_rate(RATE_OF[self.name]):
            return ""
        if recorded_profiles.count(self.name, tables):
            return ""
        return f"no samples: the program has set no rate, stackglass.{setter} sets one"
