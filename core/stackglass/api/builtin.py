"""The profiles that the engine records, as members of the registry: heap, allocs, block, mutex,
gil, threads, threadcreate.

Each is a snapshot of the engine in this process, everything since the profile's rate was first set;
threads is the present moment and needs no rate.
"""

from __future__ import annotations

import threading
from typing import Callable

from stackglass.api.profile import Profile
from stackglass.errors import ProfileError
from stackglass.threads import profile_text
from stackglass.wire import recorded_profiles
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.recorded_profiles import DESCRIPTIONS
from stackglass.wire.recording import Recording

Take = Callable[[str], Recording]
"""Takes a snapshot for the profile of this name."""


class BuiltinProfile(Profile):
    """One of these. What it holds comes from the engine, not from ``add``."""

    __slots__ = ("_take",)

    def __init__(self, name: str, take: Take) -> None:
        super().__init__(name)
        self._take = take

    def _find_number(self) -> int:
        """None: the engine counts no values for it."""
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
        """How many stacks are in the profile, or threads and tasks. Takes a snapshot."""
        return recorded_profiles.count(self.name, self.build())

    def encode(self, debug: int) -> bytes:
        """What ``write_to`` writes."""
        recording = self._take(self.name)
        return profile_text.encode(self.name, recording, debug, threading.get_native_id())

    def build(self) -> ProfileTables:
        """The profile as tables."""
        return recorded_profiles.build(self.name, self._take(self.name))
