"""Programs that are attached to again and again, as they are and under limits."""

from __future__ import annotations

import time
from typing import NamedTuple

from harness.pythons import Python
from harness.session import SessionError
from harness.targets import Target, TargetError
from stackglass.errors import StackglassError
from torture.report import Report
from torture.visits import PROFILES, come_and_go

PROGRAMS = (
    "late_threads.py",
    "soak.py",
    "forking.py",
    "interpreters/churn.py",
    "asyncio_idle.py",
    "code_churn.py",
)


class Limit(NamedTuple):
    """What tests/targets/heap/limited.py does to itself before it works."""

    name: str
    value: int


LIMITS = (
    Limit("address-space", 256 << 20),  # above what it has
    Limit("descriptors", 16),
    Limit("stack", 256 << 10),  # of its threads
    Limit("blocked-signals", 0),
    Limit("handlers", 0),  # for every signal
)


def visit(python: Python, program: str, n_turns: int, seconds: float, report: Report) -> None:
    """Each profile in turn; afterwards the program has computed what it computes alone."""
    # From 3.12 on fork() warns while there are two threads, and the engine's first and last
    # milliseconds are not hidden from it (core/stackglass/native/README.md).
    quiet = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
    come_and_go_in(python, program, quiet, n_turns, seconds, report)


def visit_limited(
    python: Python, limit: Limit, n_turns: int, seconds: float, report: Report
) -> None:
    environment = {"LIMIT": limit.name, "LIMIT_VALUE": str(limit.value)}
    come_and_go_in(python, "heap/limited.py", environment, n_turns, seconds, report)


def come_and_go_in(
    python: Python,
    program: str,
    environment: dict[str, str],
    n_turns: int,
    seconds: float,
    report: Report,
) -> None:
    for profile in PROFILES:
        name = f"{python.label} {program} {environment.get('LIMIT', '')} {profile}"
        n_visits, refusal, problems = 0, "", []
        try:
            with Target(python, program, **environment) as target:
                try:
                    n_visits = come_and_go(target.pid, profile, n_turns, time.monotonic() + seconds)
                except StackglassError as error:
                    refusal = str(error)
                last = target.finish()
                if target.read_errors():
                    problems.append(f"it wrote {target.read_errors()[-300:]!r}")
                if not last.get("result"):
                    problems.append("it computed nothing")
        except (TargetError, SessionError) as error:
            problems.append(str(error))
        if refusal and not problems:
            report.skip(name, refusal)
        else:
            report.add(name, problems, f"{n_visits} visits")
