"""This process, as the endpoints of ``/debug/pprof/`` see it."""

from __future__ import annotations

import gc
import io
import sys
from functools import partial
from typing import Callable

from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.output import Output
from stackglass.api.profile import Profile, lookup, profiles
from stackglass.errors import EngineError
from stackglass.http.messages import Listed, Wait
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.rates import DEFAULT
from stackglass.wire.recorded_profiles import DESCRIPTIONS, THREADLEAK


class OwnSource:
    """The registry, and the CPU profiler. Any thread."""

    __slots__ = ("_cpu",)

    def __init__(self, cpu: CpuProfiler) -> None:
        self._cpu = cpu

    def list_profiles(self) -> list[Listed]:
        """A list does not search for leaks, which would stop the program: it counts none."""
        return [
            Listed(each.name, each.description, 0 if each.name == THREADLEAK else each.count())
            for each in profiles()
        ]

    def has_profile(self, name: str) -> bool:
        return lookup(name) is not None

    def has_delta(self, name: str) -> bool:
        """As Go: not of what the program registers itself."""
        profile = lookup(name)
        return profile is not None and profile.name in DESCRIPTIONS

    def encode(self, name: str, debug: int, has_collection: bool) -> bytes:
        if has_collection:
            gc.collect()
        return _find(name).encode(debug)

    def build(self, name: str) -> ProfileTables:
        return _find(name).build()

    def record_cpu(self, seconds: int, wait: Wait) -> bytes:
        return self._record(self._cpu.start, seconds, wait)

    def record_wall(self, seconds: int, wait: Wait) -> bytes:
        return self._record(partial(self._cpu.start_wall, hz=DEFAULT.wall_hz), seconds, wait)

    def _record(self, start: Callable[[Output], None], seconds: int, wait: Wait) -> bytes:
        file = io.BytesIO()
        start(file)
        try:
            wait(seconds)
        finally:
            self._cpu.stop()
        return file.getvalue()

    def list_arguments(self) -> list[str]:
        return list(sys.argv)


def _find(name: str) -> Profile:
    profile = lookup(name)
    if profile is None:
        raise EngineError(f"there is no profile called {name}")
    return profile
