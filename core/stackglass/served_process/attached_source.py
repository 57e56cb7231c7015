"""Attached source: another process, as the endpoints of ``/debug/pprof/`` see it.

Each request attaches for as long as it takes: nothing is served from inside that process.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Callable

from stackglass.attach.client import Connection
from stackglass.clock import Clock
from stackglass.errors import AttachError
from stackglass.http.messages import Built, Listed, Wait
from stackglass.record.outputs import CPU, WALL, Output
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress
from stackglass.record.rate_requests import RateRequest
from stackglass.record.session import RecordingSession
from stackglass.served_process.keeper import Keeper
from stackglass.symbols.symboliser import Symboliser
from stackglass.threads import profile_text
from stackglass.wire import recorded_profiles
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.profile_file import STANDARD_OUTPUT
from stackglass.wire.rates import DEFAULT, Rates
from stackglass.wire.recorded_profiles import ALIASES, DESCRIPTIONS, THREADLEAK
from stackglass.wire.recording import Recording
from stackglass.wire.snapshot import SnapshotClient

_CPU_PLAN = Plan(
    (Output(CPU, STANDARD_OUTPUT, is_legacy=False),), RateRequest(Rates(cpu_hz=DEFAULT.cpu_hz))
)
_WALL_PLAN = Plan(
    (Output(WALL, STANDARD_OUTPUT, is_legacy=False),),
    RateRequest(Rates(cpu_hz=DEFAULT.cpu_hz, wall_hz=DEFAULT.wall_hz)),
)
_OPTION_OF = {
    "allocs": ("heap_rate", "--heap-rate 524288"),
    "block": ("block_rate_ns", "--block-rate 10000"),
    "gil": ("gil_hz", "--gil-hz 100"),
    "heap": ("heap_rate", "--heap-rate 524288"),
    "mutex": ("mutex_fraction", "--mutex-fraction 1"),
}
"""By profile: its rate, and the option of ``stackglass serve`` that sets it."""


class AttachedSource:
    """The built-in profiles of a process, and those that it fills itself. Any thread."""

    __slots__ = ("_clock", "_connect", "_keeper")

    def __init__(self, connect: Callable[[], Connection], keeper: Keeper, clock: Clock) -> None:
        """``connect`` makes one more connection to the process."""
        self._connect = connect
        self._keeper = keeper
        self._clock = clock

    def list_profiles(self) -> list[Listed]:
        built_in = [name for name in DESCRIPTIONS if name != THREADLEAK]
        recording = self._take(built_in, wants_custom=True)
        texts = {**dict.fromkeys(recording.custom.names, ""), **DESCRIPTIONS}
        return [Listed(name, text, _count(name, recording)) for name, text in sorted(texts.items())]

    def has_profile(self, name: str) -> bool:
        """Whether there is a profile of this name; the program knows those that it fills."""
        if ALIASES.get(name, name) in DESCRIPTIONS:
            return True
        return name in self._take((), wants_custom=True).custom.names

    def has_delta(self, name: str) -> bool:
        """As in Go, there are no differences of profiles that the program fills."""
        return ALIASES.get(name, name) in DESCRIPTIONS

    def encode(self, name: str, debug: int, wants_gc: bool) -> bytes:
        name = ALIASES.get(name, name)
        recording = self._take((name,), wants_gc, name not in DESCRIPTIONS)
        if not debug:
            return encode_file(_build(name, recording))
        hint = _find_hint(name, recording, recorded_profiles.build(name, recording))
        text = profile_text.encode(name, recording, debug)
        return text + f"# {hint}\n".encode() if hint else text

    def build(self, name: str) -> Built:
        name = ALIASES.get(name, name)
        is_custom = name not in DESCRIPTIONS
        recording = self._take((name,), wants_custom=is_custom)
        return Built(_build(name, recording), recorded_profiles.find_beginning(name, recording))

    def record_cpu(self, seconds: int, wait: Wait) -> bytes:
        return encode_file(self._record(_CPU_PLAN, seconds, wait).build())

    def record_wall(self, seconds: int, wait: Wait) -> bytes:
        return encode_file(self._record(_WALL_PLAN, seconds, wait).build_wall())

    def _record(self, plan: Plan, seconds: int, wait: Wait) -> Recording:
        begun_ns = self._clock.mono_ns()
        with self._connect() as connection:
            namer = Symboliser(connection.pid)
            recording = Recording(
                DEFAULT.cpu_hz, begun_ns, name_native=namer.name, locate_native=namer.locate
            )
            timed = plan._replace(duration_ns=seconds * 10**9)
            silent = Progress(sys.stderr, is_wanted=False)
            session = RecordingSession(connection, recording, timed, self._clock, silent)
            session.run(lambda: not wait(0))
        is_wall = plan is _WALL_PLAN
        problem = session.why_ended or (is_wall and recording.wall.problem) or recording.cpu.problem
        if problem:
            raise AttachError(problem)
        return recording

    def list_arguments(self) -> list[str]:
        return list(self._keeper.ready.argv)

    def _take(
        self, profiles: Collection[str], wants_gc: bool = False, wants_custom: bool = False
    ) -> Recording:
        with self._connect() as connection:
            snapshot = SnapshotClient(connection, self._clock)
            return snapshot.take(wants_gc, profiles, wants_custom)


def _build(name: str, recording: Recording) -> ProfileTables:
    tables = recorded_profiles.build(name, recording)
    hint = _find_hint(name, recording, tables)
    return tables._replace(comments=(*tables.comments, hint)) if hint else tables


def _find_hint(name: str, recording: Recording, tables: ProfileTables) -> str:
    """Return which option sets the missing rate; "" = there are samples, or a rate is set."""
    rate, option = _OPTION_OF.get(name, ("", ""))
    if not rate or recorded_profiles.count(name, tables):
        return ""
    if recording.rates is None or getattr(recording.rates, rate):
        return ""
    return f"no samples: no rate is set, `stackglass serve {option}` sets one"


def _count(name: str, recording: Recording) -> int:
    """The count as a program's own list has it: of values, if the program fills the profile; else
    of stacks. 0 for leaks: a list does not search them."""
    if name not in DESCRIPTIONS:
        return recording.custom.count(name)
    if name == THREADLEAK:
        return 0
    return recorded_profiles.count(name, recorded_profiles.build(name, recording))
