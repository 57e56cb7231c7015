"""What the engine does where a program starts threads all the time."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach

N_THREADS = 1000
N_BRIEF = 50
# The writer's turns, and its scans, are some twenty a second.
FEW, FEW_A_SECOND = 100, 40


def count_wakes(pid: int) -> dict[str, int]:
    """How often each of the engine's threads has waited, by thread id."""
    wakes = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            status = (thread / "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # one of the program's, which has ended meanwhile
        if status.startswith("Name:\tstackglass"):
            counted = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.MULTILINE)
            assert counted is not None
            wakes[thread.name] = int(counted[1])
    return wakes


@each_python
def test_threads_of_some_milliseconds_have_their_names(python: Python) -> None:
    """They have ended before a job lists the program's threads; as in a pool that is made anew for
    each request."""
    with (
        Target(python, "creating.py", has_stdin=True) as target,
        Session(target.pid, hz=1000) as session,
    ):
        session.wait_for_rate(1000)
        with session.reading_in_background():
            target.ask(f"brief {N_BRIEF}")
        session.detach()
        session.wait_for_end()
        names = set(session.stacks.thread_names.values())
        assert {name for name in names if name.startswith("thread ")} == set()
        assert sum(name.startswith("brief ") for name in names) > N_BRIEF // 2
        target.finish()


@some_pythons
def test_nothing_looks_at_each_new_thread_while_nothing_samples(python: Python) -> None:
    """With a rate each start of a thread wakes the sampler's thread, which costs the program as
    much as the start itself."""
    with (
        Target(python, "creating.py", has_stdin=True) as target,
        Session(target.pid, hz=100) as session,
    ):
        session.wait_for_rate(100)
        session.set_rate(0)
        session.wait_for_rate(0)
        before, began_s = count_wakes(target.pid), time.monotonic()
        target.ask(f"short {N_THREADS}")
        limit = FEW + FEW_A_SECOND * (time.monotonic() - began_s)
        added = {tid: n - before.get(tid, 0) for tid, n in count_wakes(target.pid).items()}
        assert {tid: n for tid, n in added.items() if n > limit} == {}
        session.set_rate(100)
        session.wait_for_rate(100)
        target.ask(f"short {N_THREADS}")  # and they are looked at again
        added = {tid: n - before.get(tid, 0) for tid, n in count_wakes(target.pid).items()}
        assert max(added.values()) > N_THREADS // 4
        session.detach()
        session.wait_for_end()
        target.finish()
