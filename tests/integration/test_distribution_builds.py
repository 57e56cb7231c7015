"""Every profile on every build that Debian ships: release builds, and debug builds if unpacked.

`packaging/debian_pythons` unpacks them; their patch levels and options differ from pyenv's. Each
profile must see what the program did, and the program must end well and silently.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from harness.pythons import SUITES, Python, absent_distributions, distribution_pythons
from harness.recorder import run_command
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach

BUILDS = distribution_pythons()
DEADLOCKED = 3
N = 500
PLAIN = "__main__.Plain"


def wait_for_rows(
    session: Session, kind: ContentionKind, function: str, again: Callable[[], object] = int
) -> None:
    """Until the function is in a stack of this kind; ``again`` makes the program do it again."""
    deadline = time.monotonic() + PATIENCE_S
    while not any(function in stack for stack in session.list_contention(kind)):
        assert time.monotonic() < deadline, (function, session.list_contention(kind))
        again()
        session.wait_for_contention()


def see_cpu(target: Target, session: Session) -> None:
    session.set_rate(1000)
    session.wait_for_function("work")
    session.wait_for_samples(20)


def see_heap(target: Target, session: Session) -> None:
    session.set_heap_rate(1)
    target.ask(f"texts {N}")
    session.collect()
    session.wait_for_heap()
    assert session.sum_heap("keep_texts")[2] >= 2 * N


def see_census(target: Target, session: Session) -> None:
    target.ask(f"plain {N}")
    assert session.count_type(session.take_census(), PLAIN)[0] == N


def see_block(target: Target, session: Session) -> None:
    session.set_contention_rates(block_ns=1)
    for word, waiter in (("hold", "wait_for_cache"), ("rlock", "wait_for_tree")):
        target.ask(word)
        wait_for_rows(session, ContentionKind.BLOCK, waiter)


def see_mutex(target: Target, session: Session) -> None:
    session.set_contention_rates(fraction=1)
    for word, holder in (("hold", "hold_cache"), ("rlock", "hold_tree")):
        target.ask(word)
        wait_for_rows(session, ContentionKind.MUTEX, holder)


def see_gil(target: Target, session: Session) -> None:
    session.set_contention_rates(gil_hz=100)
    wait_for_rows(session, ContentionKind.GIL, "have_long")
    assert session.wait_for_contention().gil_problem == ""


def see_other_waits(target: Target, session: Session) -> None:
    session.set_contention_rates(block_ns=1, has_other=True)
    wait_for_rows(session, ContentionKind.OTHER, "time.sleep", lambda: target.ask("sleep"))


def see_tasks(target: Target, session: Session) -> None:
    session.set_contention_rates(block_ns=1, fraction=1, stall_ns=100_000_000)
    target.ask("import")
    wait_for_rows(session, ContentionKind.TASK, "asyncio.locks", lambda: target.ask("warm"))
    target.ask("hold")
    wait_for_rows(session, ContentionKind.TASK, "wait_for_seat")
    target.ask("stall")
    wait_for_rows(session, ContentionKind.STALL, "stall")


def see_waits(target: Target, session: Session) -> None:
    session.detach()
    status, out, err = run_command("waits", target.pid, "--json")
    assert err == ""
    assert status == DEADLOCKED, out
    cycles = {frozenset(each["tids"]) for each in json.loads(out)["deadlocks"]}
    for name in ("plain", "recursive", "ring", "itself"):
        assert frozenset(target.ready["tids"][name]) in cycles, (name, out)


PROFILES: dict[str, tuple[str, Callable[[Target, Session], None]]] = {
    "cpu": ("busy.py", see_cpu),
    "heap": ("census.py", see_heap),
    "census": ("census.py", see_census),
    "block": ("contended.py", see_block),
    "mutex": ("contended.py", see_mutex),
    "gil": ("gil_bound.py", see_gil),
    "other waits": ("other_waits.py", see_other_waits),
    "asyncio": ("tasks.py", see_tasks),
    "waits": ("deadlocked.py", see_waits),
}
QUIET = {"PYTHONWARNINGS": "ignore::ResourceWarning"}  # debug builds would report the program's own
ASKED = {"census.py", "contended.py", "other_waits.py", "tasks.py", "deadlocked.py"}


@pytest.mark.parametrize("suite", SUITES)
def test_suite_is_there(suite: str) -> None:
    reason = absent_distributions().get(suite)
    if reason:
        pytest.skip(f"no Python of {suite}: {reason}")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("python", BUILDS, ids=lambda python: python.label)
def test_profile(python: Python, profile: str) -> None:
    program, see = PROFILES[profile]
    with Target(python, program, has_stdin=program in ASKED, **QUIET) as target:
        with Session(target.pid, hz=0) as session:
            assert session.ready.python_version == python.version
            see(target, session)
            if profile != "waits":
                session.detach()
        if profile == "waits":
            target.ask("free")
        target.finish()
        assert target.read_errors() == ""
