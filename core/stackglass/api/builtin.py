"""The profiles that the engine records, as members of the registry: heap, allocs, block, mutex,
gil, threads, threadcreate, threadleak.

Each is a snapshot of the engine in this process, everything since the profile's rate was first set;
threads and threadleak are the present moment and need no rate. A file of heap, allocs, block, mutex
or gil without samples says which call sets the rate, if the program has set none.
"""

from __future__ import annotations

import threading
from typing import Callable

from stackglass.api.profile import Profile
from stackglass.errors import ProfileError
from stackglass.native import _core
from stackglass.threads import profile_text
from stackglass.wire import recorded_profiles
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


class Exempt:
    """A block whose allocations are not in the heap profile: what a snapshot takes would be among
    the largest of a small program, and below zero in the difference of two."""

    __slots__ = ("_is_begun",)

    def __enter__(self) -> None:
        self._is_begun = _core.begin_exempt()

    def __exit__(self, *_: object) -> None:
        if self._is_begun:
            _core.end_exempt()


def build_recorded(name: str, take: Take) -> ProfileTables:
    """The profile of this name as tables, by a snapshot."""
    with Exempt():
        return recorded_profiles.build(name, take(name))


class BuiltinProfile(Profile):
    """One of these. What it holds comes from the engine, not from ``add``."""

    __slots__ = ("_read_rate", "_take")

    def __init__(self, name: str, take: Take, read_rate: Callable[[str], int]) -> None:
        """``read_rate``: what the program has set, by name of the rate; 0 = nothing."""
        super().__init__(name)
        self._take = take
        self._read_rate = read_rate

    def _find_number(self) -> int:
        """-1: the engine counts no values for it."""
        return -1

    @property
    def description(self) -> str:
        return DESCRIPTIONS[self.name]

    def add(self, value: object, skip: int = 0, *, weak: bool = False) -> None:
        """Raises ProfileError: the engine fills this profile."""
        raise ProfileError(f"nothing can be added to the built-in profile {self.name}")

    def remove(self, value: object) -> None:
        """Nothing happens: no value is in it."""

    def count(self) -> int:
        """How many stacks are in the profile, or threads, tasks and greenlets. Takes a snapshot."""
        return recorded_profiles.count(self.name, self.build())

    def encode(self, debug: int) -> bytes:
        """What ``write_to`` writes."""
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
        """The profile as tables."""
        tables = build_recorded(self.name, self._take)
        hint = self._find_hint(tables)
        return tables._replace(comments=(*tables.comments, hint)) if hint else tables

    def _find_hint(self, tables: ProfileTables) -> str:
        """Why there are no samples; "" = there are, or the rate is not the reason."""
        setter = _SETTERS.get(self.name)
        if setter is None or self._read_rate(RATE_OF[self.name]):
            return ""
        if recorded_profiles.count(self.name, tables):
            return ""
        return f"no samples: the program has set no rate, stackglass.{setter} sets one"
