"""This process as the source of the profiles at ``/debug/pprof/``."""

from __future__ import annotations

import gc
import io
import sys
from functools import partial
from typing import Callable

from stackglass.api.builtin import SnapshotProfile
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.output import Output
from stackglass.api.profile import Profile, lookup, profiles
from stackglass.errors import EngineError
from stackglass.http.messages import Built, Listed, Wait
from stackglass.wire.rates import DEFAULT
from stackglass.wire.recorded_profiles import DESCRIPTIONS, THREADLEAK

_RECORDED = ("cpu", "wall")
"""Profiles that are recorded for some seconds when they are requested, at pages of their own."""


class OwnSource:
    """The registered profiles and the CPU profiler, for ``stackglass.http``. Any thread."""

    __slots__ = ("_cpu",)

    def __init__(self, cpu: CpuProfiler) -> None:
        self._cpu = cpu

    def list_profiles(self) -> list[Listed]:
        """List all profiles. ``threadleak`` counts 0, because a search would stop the program."""
        return [
            Listed(each.name, each.description, 0 if each.name == THREADLEAK else each.count())
            for each in profiles()
            if each.name not in _RECORDED
        ]

    def has_profile(self, name: str) -> bool:
        return name not in _RECORDED and lookup(name) is not None

    def has_delta(self, name: str) -> bool:
        """Return whether ``seconds=N`` works. As in Go, it does not for the program's own
        profiles."""
        profile = lookup(name)
        return profile is not None and profile.name in DESCRIPTIONS

    def encode(self, name: str, debug: int, wants_gc: bool) -> bytes:
        if wants_gc:
            gc.collect()
        return _find(name).encode(debug)

    def build(self, name: str) -> Built:
        profile = _find(name)
        if isinstance(profile, SnapshotProfile):
            return Built(*profile.build_of_engine())
        return Built(profile.build(), 0)

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
