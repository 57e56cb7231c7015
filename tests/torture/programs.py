"""Programs that are attached to again and again: as they are, under limits, under filters."""

from __future__ import annotations

import contextlib
import time
from typing import NamedTuple

from harness.compiled import compile_library
from harness.flood import Flood
from harness.known_filters import FILTERS
from harness.pythons import (
    Python,
    list_green_environment,
    list_numpy_environment,
    list_uvloop_environment,
)
from harness.session import SessionError
from harness.targets import Target, TargetError
from stackglass.errors import StackglassError
from torture.report import Report
from torture.visits import CUSTOM, PROFILES, come_and_go

PROGRAMS = (
    "late_threads.py",
    "soak.py",
    "forking.py",
    "interpreters/churn.py",
    "asyncio_idle.py",
    "code_churn.py",
    "heap/traced_rounds.py",
)
# Imports Stackglass, and fills profiles of its own.
OWN_PROGRAM = "own_rounds.py"
# Loads and unloads a C library in threads and in forked children.
LOADING_PROGRAM = "native_names/loading_rounds.py"
# Program → where its library is found; it says `has_library` in its first line.
WITH_LIBRARIES = {
    "libraries/gevent_rounds.py": list_green_environment,
    "libraries/greenlet_rounds.py": list_green_environment,
    "libraries/uvloop_rounds.py": list_uvloop_environment,
    "libraries/numpy_rounds.py": list_numpy_environment,
}


FLOODED_PROGRAM = "flooded.py"


class Limit(NamedTuple):
    """A limit that tests/targets/heap/limited.py sets for itself before it works."""

    name: str
    value: int


LIMITS = (
    Limit("address-space", 96 << 20),  # above what it has: its threads' stacks are 32 MiB
    Limit("descriptors", 16),
    Limit("stack", 256 << 10),  # of its threads
    Limit("blocked-signals", 0),
    Limit("handlers", 0),  # for every signal
)


# Otherwise the C library's arenas take 64 MiB each of the limited address space, more or fewer by
# chance: a program with 256 MiB had 31 MiB left without Stackglass.
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


class Run(NamedTuple):
    """A program, and the arguments and environment to start it with."""

    program: str
    name: str  # of the limit or filter
    environment: dict[str, str]

    @property
    def profiles(self) -> tuple[str, ...]:
        """The profiles for which the program is visited."""
        return (*PROFILES, CUSTOM) if self.program == OWN_PROGRAM else PROFILES


def list_runs(part: str, python: Python) -> list[Run]:
    if part == "limits":
        return [
            Run(
                "heap/limited.py",
                limit.name,
                {"LIMIT": limit.name, "LIMIT_VALUE": f"{limit.value}", **ONE_ARENA},
            )
            for limit in LIMITS
        ]
    if part == "filters":
        return [
            Run("filtered.py", name, {"FILTER": code.hex(), "SOCKETS": "1"})
            for name, code in FILTERS.items()
        ]
    if part == "floods":
        return [Run(FLOODED_PROGRAM, "", {})]
    if part == "libraries":
        return [Run(program, "", find(python)) for program, find in WITH_LIBRARIES.items()]
    # From 3.12 on fork() warns while there are two threads, and the engine's first and last
    # milliseconds are not hidden from it (core/stackglass/native/README.md).
    quiet = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
    library = compile_library("native_names/work.c")
    return [
        *(Run(program, "", quiet) for program in (*PROGRAMS, OWN_PROGRAM)),
        Run(LOADING_PROGRAM, "", {**quiet, "LIBRARY": library}),
    ]


def visit(
    python: Python,
    run: Run,
    profiles: tuple[str, ...],
    most: tuple[int, float],  # visits, seconds
    report: Report,
) -> None:
    """Visit a program with each profile in turn. Its result must be as without."""
    label = f"{python.label} {run.program} {run.name}".rstrip()
    try:
        with Target(python, run.program, has_stdin=False, **run.environment) as target:
            if not target.ready.get("has_library", True):
                report.skip(label, "there is no such library for this Python")
                return
            alone = target.finish()["result"]
    except TargetError as error:
        report.add(label, [f"alone: {error}"], "")
        return
    for profile in profiles:
        visit_for_profile(python, run, profile, alone, most, report)


def visit_for_profile(
    python: Python,
    run: Run,
    profile: str,
    alone: str,
    most: tuple[int, float],  # visits, seconds
    report: Report,
) -> None:
    name = f"{python.label} {run.program} {run.name} {profile}".replace("  ", " ")
    n_visits, refusal, problems = 0, "", []
    try:
        with Target(python, run.program, has_stdin=False, **run.environment) as target:
            is_flooded = run.program == FLOODED_PROGRAM
            flood = Flood(target.pid) if is_flooded else contextlib.nullcontext()
            try:
                end_s = time.monotonic() + most[1]
                with flood:
                    n_visits = come_and_go(target.pid, profile, most[0], end_s)
            except StackglassError as error:
                refusal = str(error)
            last = target.finish()
            if target.read_errors():
                problems.append(f"it wrote {target.read_errors()[-300:]!r}")
            if isinstance(flood, Flood) and not last["queued"] == last["fetched"] == flood.n_queued:
                problems.append(f"of {flood.n_queued} signals each there came {last}")
            if last.get("result") != alone:
                problems.append(f"it computed {last.get('result')}, alone {alone}")
    except (TargetError, SessionError) as error:
        problems.append(str(error))
    if refusal and not problems:
        report.refuse(name, refusal)
    else:
        report.add(name, problems + [refusal] * bool(refusal), f"{n_visits} visits")
